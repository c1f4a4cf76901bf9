import { CHOSEN_INTERRUPTS } from '../../bin/reliability/crash-plans.ts';
import { testCrashes } from './support/use-engine.ts';

testCrashes('a lab that is interrupted', CHOSEN_INTERRUPTS);
