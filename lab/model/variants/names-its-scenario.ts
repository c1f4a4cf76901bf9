/** Whether `<variant>/<scenario>[name=value,…]` is about that scenario. */
export function namesItsScenario({
  address,
  scenario,
}: {
  readonly address: string;
  readonly scenario: string;
}): boolean {
  return address.replace(/\[.*$/s, '').endsWith(`/${scenario}`);
}
