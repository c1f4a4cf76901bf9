import { CHOSEN_INTERRUPTS } from '../../bin/reliability/crash-plans.ts';
import { testCrashes } from './use-engine.ts';

testCrashes('a lab that is interrupted', CHOSEN_INTERRUPTS);
