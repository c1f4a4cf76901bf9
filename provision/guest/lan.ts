/** What a node among several needs: its second network card, its own pod subnet, and routes to the others. */

/** A node as the others know it. */
export interface LanNode {
  /** IPv4 address on the network between the nodes, a /24. */
  readonly address: string;
  /** Its pods: `10.244.1.0/24`. */
  readonly podSubnet: string;
}

/** Where systemd-networkd finds the second network card. */
export const LAN_UNIT_PATH = '/etc/systemd/network/20-lan.network';

/** Where containerd finds the pod network. */
export const CONFLIST_PATH = '/etc/cni/net.d/10-whodunit.conflist';

/**
 * Renders the networkd unit of the second card: a static address, and one route to the pods of each other node through
 * that node ("host-gw", without any overlay). The card is found by its MAC address, so that its name does not matter.
 */
export function renderLanUnit(own: LanNode, mac: string, others: readonly LanNode[]): string {
  const routes = others.map(
    (other) => `\n[Route]\nDestination=${other.podSubnet}\nGateway=${other.address}\n`,
  );
  return (
    '# The network between the nodes, and the way to the pods of each other node.\n' +
    `[Match]\nMACAddress=${mac}\n\n` +
    `[Network]\nAddress=${own.address}/24\nLinkLocalAddressing=no\nIPv6AcceptRA=no\n` +
    routes.join('')
  );
}

/**
 * Renders the pod network of one node of several from the one that is in the image: its own subnet, and no
 * masquerading, as pods see each other's true addresses ("pods can communicate with all other pods on any other node
 * without NAT", Kubernetes' network model). Masquerading is not needed: there is no way out of a guest anyway.
 *
 * @param conflist the text of the image's conflist.
 */
export function renderNodeConflist(conflist: string, podSubnet: string): string {
  const parsed = JSON.parse(conflist) as { plugins: Record<string, unknown>[] };
  const plugins = parsed.plugins.map((plugin) => {
    if (plugin['type'] !== 'bridge') return plugin;
    const ipam = { ...(plugin['ipam'] as object), ranges: [[{ subnet: podSubnet }]] };
    return { ...plugin, ipMasq: false, ipam };
  });
  return `${JSON.stringify({ ...parsed, plugins }, undefined, 2)}\n`;
}
