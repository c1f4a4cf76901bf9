/** Whether a line of the kernel is the first one of a boot: init/main.c, start_kernel(). */
export function isFirstOfBoot(text: string): boolean {
  return text.startsWith('Linux version ');
}

/** Whether a line of the kernel ends its boot: kernel/panic.c, panic(). Nothing comes after it but how the machine starts again. */
export function isPanic(text: string): boolean {
  return text.startsWith('Kernel panic - not syncing');
}
