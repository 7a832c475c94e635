import { isApproval } from '../../../../nodes/WorkspaceCrm/resources/message/ask/receiveReply';
import { testComparisons } from '../../spellings';

testComparisons(['approval words', (word, reply) => isApproval(reply, [word])]);
