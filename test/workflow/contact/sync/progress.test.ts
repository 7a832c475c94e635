import { testProgress } from '../../progress';
import { automatic } from './syncNode';

testProgress(['Sync', automatic(), ({ phone }) => ({ phone, name: 'New' })]);
