/**
 * The name of a lane: a fork of a saved world that runs a part of its cells. Its folder and its names in libvirt are made
 * of it, as those of a world are made of the name of its variant.
 *
 * @param world canonical name of the variant.
 * @param lane counted from 1.
 */
export function laneName(world: string, lane: number): string {
  return `${world}${BETWEEN}${lane}`;
}

/**
 * The name of a world that is built from its image beside the saved one, which stays as it is. It is removed after its cells.
 *
 * @param world canonical name of the variant.
 */
export function apartName(world: string): string {
  return `${world}.apart`;
}

/** Between the name of a variant and the number: no shell and no file system takes it for anything. */
const BETWEEN = '.lane-';

/** Whether a folder of the state is that of a lane of a world. */
export function isLaneOf(world: string, name: string): boolean {
  return (
    name.startsWith(`${world}${BETWEEN}`) && /^[1-9]\d*$/.test(name.slice(world.length + BETWEEN.length))
  );
}

/** Whether a folder of the state is that of a world which was made only for cells of another one: a lane, or one built apart. */
export function isBeside(world: string, name: string): boolean {
  return name === apartName(world) || isLaneOf(world, name);
}
