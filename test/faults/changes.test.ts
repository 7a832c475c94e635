import { testMatrix } from './matrix';

testMatrix('changes');
