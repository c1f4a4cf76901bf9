/**
 * The runc of workloads where the control plane keeps the suite's: the name of its containerd handler and RuntimeClass, and
 * the name under which a node has it as a component beside its own runc.
 */
export const RUNC_UNDER_TEST = 'runc-under-test';

/**
 * Where it is in a node. The last part is `runc`: the kernel names a process by it, and by that name the witness and the
 * judge know the processes of the runtime.
 */
export const RUNC_UNDER_TEST_PATH = '/usr/local/lib/whodunit/under-test/runc';

/** The name in `components.yaml`, and in the cache, of a component that a node may have beside its own. */
export function catalogueName(name: string): string {
  return name === RUNC_UNDER_TEST ? 'runc' : name;
}

/** An artifact, as far as it has a name and files. */
interface NamedFiles {
  readonly component: string;
  readonly files: Readonly<Record<string, string>>;
}

/**
 * An artifact under the name that a node has it by. Its program, called as the component, gets that name too, so that it
 * does not replace the node's own.
 */
export function nameInNode<Named extends NamedFiles>(artifact: Named, name: string): Named {
  if (artifact.component === name) return artifact;
  const path = artifact.files[artifact.component];
  return { ...artifact, component: name, files: path === undefined ? {} : { [name]: path } };
}
