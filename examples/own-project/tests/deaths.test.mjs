// Each cell of the set is a test: `npx vitest run`. It needs the machine that `npx whodunit doctor` asks for.
import { whodunit } from 'whodunit/vitest';

await whodunit('set=mine');
