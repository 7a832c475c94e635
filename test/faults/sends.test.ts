import { testMatrix } from './matrix';

testMatrix('sends');
