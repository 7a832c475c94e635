import { byId, testProgress } from '../../progress';
import { campaign } from './campaignNode';

testProgress(['Send Campaign', campaign(), byId]);
