import { CHOSEN_CRASHES } from '../../bin/reliability/crash-plans.ts';
import { testCrashes } from './support/use-engine.ts';

testCrashes('a lab that is killed', CHOSEN_CRASHES);
