import { CHOSEN_CRASHES } from '../../bin/reliability/crash-plans.ts';
import { testCrashes } from './use-engine.ts';

testCrashes('a lab that is killed', CHOSEN_CRASHES);
