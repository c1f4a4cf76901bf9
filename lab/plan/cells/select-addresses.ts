import { variantName, type Variant } from '../../model/axes/axes.ts';
import { cellAddress, splitBrackets } from '../../model/host/cell-address.ts';
import type { LoadedScenario } from '../../model/declared/scenario.ts';
import { formatHint } from '../../model/text/nearest.ts';
import type { Broken } from '../config/broken.ts';
import type { Config } from '../config/parse-config.ts';
import { changedTexts, expandText } from '../parameters/fill-parameters.ts';
import { fillScenario } from '../parameters/fill-scenario.ts';
import { parseVariantName } from '../variants/parse-variant.ts';
import type { Candidate } from './expand-cells.ts';

/** An address that names no cell of this project. */
interface UnknownAddress {
  readonly address: string;
  readonly why: string;
  /** The scenario, when it is there but broken. */
  readonly broken?: Broken | undefined;
}

/** The cells of some addresses, each once, and the addresses that name none. */
export interface AddressedCells {
  readonly cells: readonly Candidate[];
  readonly unknown: readonly UnknownAddress[];
}

/**
 * The cells that saved addresses name. Nothing in them selects: they may come from somebody else, and a `set=full` or a
 * `*` among them is the address of no cell.
 */
export function selectAddresses(config: Config, addresses: readonly string[]): AddressedCells {
  const scenarios = new Map(config.scenarios.map((loaded) => [loaded.scenario.name, loaded]));
  const broken = new Map(config.broken.scenarios.map((part) => [part.name, part]));
  const variants = new Map<string, Variant | string>();
  const filled = new Map<string, LoadedScenario | string>();
  const cells = new Map<string, Candidate>();
  const unknown: UnknownAddress[] = [];
  for (const address of addresses) {
    const { head, inside = [] } = splitBrackets(address);
    const slash = head.lastIndexOf('/');
    const [name, scenario] = [head.slice(0, Math.max(0, slash)), head.slice(slash + 1)];
    const found = scenarios.get(scenario);
    if (slash < 0) unknown.push({ address, why: 'it is not <variant>/<scenario>' });
    else if (broken.has(scenario))
      unknown.push({ address, why: `scenario ${scenario} is broken`, broken: broken.get(scenario) });
    else if (found === undefined) {
      const hint = formatHint(scenario, [...scenarios.keys()]);
      unknown.push({ address, why: `there is no scenario "${scenario}"${hint}` });
    } else {
      const variant = remember(variants, name, () => readVariant(config, name));
      const part = address.slice(slash + 1);
      const loaded = remember(filled, part, () => fill(found, inside));
      if (typeof variant === 'string') unknown.push({ address, why: variant });
      else if (typeof loaded === 'string') unknown.push({ address, why: loaded });
      else {
        const cell = candidateOf(variant, loaded);
        cells.set(cell.address, cell);
      }
    }
  }
  return { cells: [...cells.values()], unknown };
}

function remember<T>(known: Map<string, T>, key: string, find: () => T): T {
  const found = known.get(key) ?? find();
  known.set(key, found);
  return found;
}

function readVariant({ matrix }: Config, name: string): Variant | string {
  const parsed = parseVariantName(matrix, name);
  return 'problems' in parsed ? parsed.problems.join('; ') : parsed.variant;
}

/** The scenario with the parameters of an address, or why it does not have them. */
function fill(
  loaded: LoadedScenario,
  inside: NonNullable<ReturnType<typeof splitBrackets>['inside']>,
): LoadedScenario | string {
  const chosen = new Map<string, string>();
  for (const { name, value } of inside) {
    const { parameters } = loaded.scenario;
    const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (parameter === undefined || value === undefined || !expandText(parameter, value).includes(value))
      return `scenario ${loaded.scenario.name} has no ${name}=${value ?? ''}`;
    chosen.set(name, value);
  }
  const choice = { ...loaded.parameters, ...Object.fromEntries(chosen) };
  const isAsItIs = [...chosen].every(([name, value]) => loaded.parameters[name] === value);
  return isAsItIs ? loaded : fillScenario(loaded, choice);
}

function candidateOf(variant: Variant, loaded: LoadedScenario): Candidate {
  const name = variantName(variant);
  const changed = changedTexts(loaded.scenario.parameters, loaded.parameters);
  return { address: cellAddress(name, loaded.scenario.name, changed), name, variant, loaded };
}
