/** How /etc/network/interfaces calls the options of a network card. */

/** Salt's names of them, and the file's. */
export const CARD_OPTIONS: ReadonlyMap<string, string> = new Map([
  ['speed', 'link-speed'],
  ['duplex', 'link-duplex'],
  ['autoneg', 'ethernet-autoneg'],
  ...['rx', 'tx', 'sg', 'tso', 'ufo', 'gso', 'gro', 'lro'].map((name) => [name, `offload-${name}`] as const),
]);

/** Every option of a card that is kept when the file is written anew. */
export const CARD_WORDS: ReadonlySet<string> = new Set([
  ...CARD_OPTIONS.values(),
  ...(
    'ethernet-port ethernet-wol driver-message-level ethernet-pause-rx ethernet-pause-tx ethernet-pause-autoneg ' +
    'hardware-irq-coalesce-adaptive-rx hardware-irq-coalesce-adaptive-tx hardware-irq-coalesce-rx-usecs ' +
    'hardware-irq-coalesce-rx-frames hardware-dma-ring-rx hardware-dma-ring-rx-mini hardware-dma-ring-rx-jumbo ' +
    'hardware-dma-ring-tx'
  ).split(' '),
]);
