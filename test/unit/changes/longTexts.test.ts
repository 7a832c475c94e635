import { digest } from '../../../nodes/WorkspaceCrm/changes/comparison';
import { numbered, testLongTexts, testManyParts } from '../../support/longTextTests';

testLongTexts({
	digest: (long) => digest({ [long]: [long], [`${long}2`]: `2026-01-01 10:00${long}` }),
});

testManyParts({ digest: () => digest(numbered('k')) });
