import {
  findModules,
  type Component,
  type ComponentSourceOf,
} from '../../lab/model/components/components.ts';

/** Which sources of a component build the module of a checkout, or what the checkout is in place of it. */
type CheckedModule =
  | { readonly fitting: readonly ComponentSourceOf<'gomod'>[] }
  | {
      /** `it is the module example.test/another`. */
      readonly why: string;
      /** The modules that it could be, in words. */
      readonly wanted: string;
    };

/**
 * Looks whether a checkout is of a component.
 *
 * @param goMod text of the `go.mod` of its folder; undefined when there is none.
 */
export function checkModule(component: Component, goMod: string | undefined): CheckedModule {
  const module = /^module\s+"?([^\s"]+)/m.exec(goMod ?? '')?.[1];
  const sources = findModules(component);
  const fitting = sources.filter((source) => source.module === module);
  if (fitting.length > 0) return { fitting };
  return {
    why: module === undefined ? 'it has no go.mod' : `it is the module ${module}`,
    wanted: [...new Set(sources.map((source) => source.module))].join(' or '),
  };
}
