/**
 * What a container printed. A program may print anything there, so that nothing of it is evidence: not a line of the kernel, not a word
 * of the kubelet. Collectors say by the path, or by lines around it, what is of a container.
 */

/** What such a file is, for a reader. */
export const CONTAINER_OUTPUT = 'what a container printed, which may be anything';

/** Where collectors put it. */
const PLACES: readonly RegExp[] = [
  // A node: /var/log/pods/<namespace>_<pod>_<uid>/<container>/0.log, and links to it. `kind export logs` has both below its node.
  /(?:^|\/)(?:pods|containers)\/[^/]+_[^/]+(?:\/[^/]+)*\.log[^/]*$/,
  // must-gather and `oc adm inspect`: pods/<pod>/<container>/<container>/logs/current.log
  /(?:^|\/)pods\/[^/]+\/[^/]+\/(?:[^/]+\/)?logs\/[^/]+$/,
  // support-bundle: cluster-resources/pods/logs/<namespace>/<pod>/<container>.log
  /(?:^|\/)pods\/logs\/[^/]+\/[^/]+\/[^/]+$/,
];

/** Whether a collector puts the output of a container there. */
export function isOutputPath(path: string): boolean {
  return PLACES.some((place) => place.test(path));
}

/** `kubectl cluster-info dump` prints these around the logs of each container, in `logs.txt` and between its objects. */
const BEGINS = /^==== START logs for container \S+ of pod \S+ ====$/;
/** A line of an object, as kubectl prints JSON. */
const OF_OBJECT = /^\s*["{}\]]/;

/**
 * Tells which lines of one file are output of a container. A program may print the line that ends its output as well: once some was
 * there, only lines of objects are something else.
 */
export function createOutputFinder(): (text: string) => boolean {
  let end: string | undefined;
  let hasOutput = false;
  return (text) => {
    if (BEGINS.test(text)) {
      end = text.replace('START', 'END');
      hasOutput = true;
      return true;
    }
    if (text === end) {
      end = undefined;
      return true;
    }
    return end !== undefined || (hasOutput && !OF_OBJECT.test(text));
  };
}
