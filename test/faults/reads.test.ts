import { testMatrix } from './matrix';

testMatrix('reads');
