import type { Components } from '../../model/components/components.ts';
import { configProblem, type ConfigProblem } from '../../model/errors/errors.ts';
import { REGISTRY_HOST } from '../../model/declared/registry.ts';
import type { LoadedScenario } from '../../model/declared/scenario.ts';
import { get, listLater, listManifests, listPods } from './list-objects.ts';

/** What to write for an image with a shell. */
export const SHELL_IMAGE_HINT =
  "bring `images: [{ image: 'whodunit.local/shell:1', component: shell, version: bookworm }]`";

/** Images of strangers that are used for their shell. */
const OF_SHELLS = /^(docker\.io\/)?(library\/)?(busybox|alpine|bash|debian|ubuntu)([:@]|$)/;

/** Whether somebody who names this image wants a shell and small programs. */
export function isOfShells(image: string | undefined): boolean {
  return image !== undefined && OF_SHELLS.test(image);
}

/** Shells by name, in one of the folders for programs, or looked for in `PATH`. */
const SHELL = /^(?:(?:\/usr(?:\/local)?)?\/bin\/)?(sh|ash|bash|dash|zsh|ksh)$/;
/** Those that busybox is. */
const OF_BUSYBOX = ['sh', 'ash'];

/**
 * Checks that no container is to run a shell that its image does not have, as its command, in a probe or in a hook. Images
 * of root file systems may have any, unless they are those of busybox.
 */
export function checkShells(loaded: LoadedScenario, catalogue: Components | undefined): ConfigProblem[] {
  const { images } = loaded.scenario;
  const hasShell = (image: string, shell: string): boolean => {
    const own = images.find((brought) => brought.image === image);
    // What a node has, or the registry of a cell, is made of our own programs and of Kubernetes'.
    if (own === undefined)
      return !image.startsWith('whodunit.local/') && !image.startsWith(`${REGISTRY_HOST}/`);
    const names = [own.component, ...own.also.map(({ component }) => component)];
    return names.some((name) =>
      // A component that is not known is refused elsewhere.
      (catalogue?.components[name]?.sources ?? [undefined]).some(
        (source) =>
          source === undefined ||
          (source.kind === 'rootfs' && (source.applets === undefined || OF_BUSYBOX.includes(shell))),
      ),
    );
  };
  return listPods([...listManifests(loaded), ...listLater(loaded)]).flatMap(({ located, containers }) =>
    containers.flatMap(({ path, image, own }) =>
      listCommands(own).flatMap(({ at, program }): ConfigProblem[] => {
        const shell = SHELL.exec(program)?.[1];
        if (shell === undefined || image === undefined || isOfShells(image) || hasShell(image, shell))
          return [];
        const expected = `a program of ${image}, which has no ${shell}; for \`sh\` ${SHELL_IMAGE_HINT}`;
        return [configProblem(located.file, `${path}.${at}`, expected, JSON.stringify(program))];
      }),
    ),
  );
}

/** Where a container names a program to be run in it. */
const PLACES = [
  'command',
  'livenessProbe.exec.command',
  'readinessProbe.exec.command',
  'startupProbe.exec.command',
  'lifecycle.postStart.exec.command',
  'lifecycle.preStop.exec.command',
];

function listCommands(container: unknown): { readonly at: string; readonly program: string }[] {
  return PLACES.flatMap((at) => {
    const command = at.split('.').reduce<unknown>(get, container);
    const program: unknown = Array.isArray(command) ? command[0] : undefined;
    return typeof program === 'string' ? [{ at: `${at}.0`, program }] : [];
  });
}
