/**
 * The functions of `firewalld` on what a zone holds: services, ports, interfaces, sources, ICMP, rules (3006.16
 * salt/modules/firewalld.py).
 */
import { splitLines } from '../../../python/values/text.ts';
import type { Value } from '../../../python/values/value.ts';
import { defineFunction, type FunctionSpec, type ModuleContext } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import {
  firewall,
  forwardWord,
  isMasquerading,
  portForwards,
  printedWords,
  zoneWords,
  type ZoneAt,
} from './run.ts';

const ZONE = { zone: param.text({ doc: 'The zone.' }) } as const;
const ZONE_IF_GIVEN = {
  zone: param.textIfGiven({ default: null, doc: 'The zone; the default zone without one.' }),
} as const;
const PERMANENT = {
  permanent: param.flag({ default: true, doc: 'The configuration that is kept, not the one of now.' }),
} as const;
const MASQUERADE = {
  force_masquerade: param.flag({ default: false, doc: 'Masquerade in the zone, too.' }),
} as const;
const ICMP = { icmp: param.text({ doc: 'The type of ICMP: `echo-reply`.' }) } as const;
const FORWARD = {
  src: param.text({ doc: 'The port.' }),
  dest: param.text({ doc: 'The port that it is forwarded to.' }),
  proto: param.text({ default: 'tcp', doc: 'tcp or udp.' }),
  dstaddr: param.text({ default: '', doc: 'The address that it is forwarded to; this machine without one.' }),
} as const;
const SAID = 'what firewall-cmd printed: success';

/** A function that lists the words of a zone. */
const words = (fun: string, option: string, doc: string): FunctionSpec =>
  defineFunction({
    doc,
    params: { ...ZONE, ...PERMANENT },
    returns: 'list of texts',
    examples: [`salt '*' firewalld.${fun} public`],
    run: (ctx, at) => printedWords(ctx, zoneWords(at, option)),
  });

/** What a function does with one thing of a zone. */
interface ItemChange {
  readonly doc: string;
  /** The option; the thing stands behind it. */
  readonly option: string;
  readonly example: string;
}

const interfaceChange = ({ doc, option, example }: ItemChange): FunctionSpec =>
  defineFunction({
    doc,
    params: { ...ZONE, interface: param.text({ doc: 'The interface.' }), ...PERMANENT },
    returns: SAID,
    examples: [`salt '*' firewalld.${example}`],
    run: (ctx, { interface: name, ...at }) => firewall(ctx, zoneWords(at, `${option}=${name}`)),
  });

const sourceChange = ({ doc, option, example }: ItemChange): FunctionSpec =>
  defineFunction({
    doc,
    params: { ...ZONE, source: param.text({ doc: 'The network: `192.0.2.0/24`.' }), ...PERMANENT },
    returns: SAID,
    examples: [`salt '*' firewalld.${example}`],
    run: (ctx, { source, ...at }) => firewall(ctx, zoneWords(at, `${option}=${source}`)),
  });

const ruleChange = ({ doc, option, example }: ItemChange): FunctionSpec =>
  defineFunction({
    doc,
    params: { ...ZONE, rule: param.text({ doc: 'The rich rule.' }), ...PERMANENT },
    returns: SAID,
    examples: [`salt '*' firewalld.${example}`],
    run: (ctx, { rule, ...at }) => firewall(ctx, zoneWords(at, `${option}=${rule}`)),
  });

const serviceChange = ({ doc, option, example }: ItemChange): FunctionSpec =>
  defineFunction({
    doc,
    params: { service: param.text({ doc: 'The service.' }), ...ZONE_IF_GIVEN, ...PERMANENT },
    returns: SAID,
    examples: [`salt '*' firewalld.${example}`],
    run: (ctx, { service, ...at }) => firewall(ctx, zoneWords(at, `${option}=${service}`)),
  });

const masqueradeChange = ({ doc, option, example }: ItemChange): FunctionSpec =>
  defineFunction({
    doc,
    params: { ...ZONE_IF_GIVEN, ...PERMANENT },
    returns: SAID,
    examples: [`salt '*' firewalld.${example}`],
    run: (ctx, at) => firewall(ctx, zoneWords(at, option)),
  });

async function ensureMasquerade(ctx: ModuleContext, zone: string): Promise<void> {
  const at = { zone, permanent: true };
  if (!(await isMasquerading(ctx, at))) await firewall(ctx, zoneWords(at, '--add-masquerade'));
}

async function changeIcmp(ctx: ModuleContext, at: ZoneAt, icmp: string, isBlocked: boolean): Promise<Value> {
  const known = await printedWords(ctx, ['--get-icmptypes', ...(at.permanent ? ['--permanent'] : [])]);
  if (!known.includes(icmp)) {
    ctx.log.error('Invalid ICMP type');
    return false;
  }
  const blocked = await printedWords(ctx, zoneWords(at, '--list-icmp-blocks'));
  if (blocked.includes(icmp) === isBlocked) return 'success';
  return firewall(ctx, zoneWords(at, `--${isBlocked ? 'add' : 'remove'}-icmp-block=${icmp}`));
}

const PORT_FUNCTIONS = {
  list_ports: words('list_ports', '--list-ports', 'Lists the open ports of a zone.'),
  add_port: defineFunction({
    doc: 'Opens a port in a zone.',
    params: { ...ZONE, port: param.text({ doc: 'The port: `443/tcp`.' }), ...PERMANENT, ...MASQUERADE },
    returns: SAID,
    examples: ["salt '*' firewalld.add_port internal 443/tcp"],
    run: async (ctx, { zone, port, permanent, force_masquerade }) => {
      if (force_masquerade) await ensureMasquerade(ctx, zone);
      return firewall(ctx, zoneWords({ zone, permanent }, `--add-port=${port}`));
    },
  }),
  remove_port: defineFunction({
    doc: 'Closes a port in a zone.',
    params: { ...ZONE, port: param.text({ doc: 'The port: `443/tcp`.' }), ...PERMANENT },
    returns: SAID,
    examples: ["salt '*' firewalld.remove_port internal 443/tcp"],
    run: (ctx, { port, ...at }) => firewall(ctx, zoneWords(at, `--remove-port=${port}`)),
  }),
  list_port_fwd: defineFunction({
    doc: 'Lists the port forwards of a zone.',
    params: { ...ZONE, ...PERMANENT },
    returns: 'list of mappings with Source port, Protocol, Destination port and Destination address',
    examples: ["salt '*' firewalld.list_port_fwd public"],
    run: (ctx, at) => portForwards(ctx, at),
  }),
  add_port_fwd: defineFunction({
    doc: 'Forwards a port.',
    params: { ...ZONE, ...FORWARD, ...PERMANENT, ...MASQUERADE },
    returns: SAID,
    examples: ["salt '*' firewalld.add_port_fwd public 80 443 tcp"],
    run: async (ctx, { zone, permanent, force_masquerade, ...forward }) => {
      if (force_masquerade) await ensureMasquerade(ctx, zone);
      return firewall(ctx, zoneWords({ zone, permanent }, `--add-forward-port=${forwardWord(forward)}`));
    },
  }),
  remove_port_fwd: defineFunction({
    doc: 'Does not forward a port any more.',
    params: { ...ZONE, ...FORWARD, ...PERMANENT },
    returns: SAID,
    examples: ["salt '*' firewalld.remove_port_fwd public 80 443 tcp"],
    run: (ctx, { zone, permanent, ...forward }) =>
      firewall(ctx, zoneWords({ zone, permanent }, `--remove-forward-port=${forwardWord(forward)}`)),
  }),
};

/** The functions. */
export const ZONE_ITEM_FUNCTIONS = {
  ...PORT_FUNCTIONS,
  list_services: defineFunction({
    doc: 'Lists the services of a zone.',
    params: { ...ZONE_IF_GIVEN, ...PERMANENT },
    returns: 'list of names',
    examples: ["salt '*' firewalld.list_services"],
    run: (ctx, at) => printedWords(ctx, zoneWords(at, '--list-services')),
  }),
  add_service: serviceChange({
    doc: 'Opens a zone for a service.',
    option: '--add-service',
    example: 'add_service ssh my_zone',
  }),
  remove_service: serviceChange({
    doc: 'Closes a zone to a service.',
    option: '--remove-service',
    example: 'remove_service ssh dmz',
  }),
  get_masquerade: defineFunction({
    doc: 'Returns whether addresses are masqueraded in a zone.',
    params: { ...ZONE_IF_GIVEN, ...PERMANENT },
    returns: 'true or false',
    examples: ["salt '*' firewalld.get_masquerade public"],
    run: (ctx, at) => isMasquerading(ctx, at),
  }),
  add_masquerade: masqueradeChange({
    doc: 'Masquerades addresses in a zone.',
    option: '--add-masquerade',
    example: 'add_masquerade dmz',
  }),
  remove_masquerade: masqueradeChange({
    doc: 'Does not masquerade addresses in a zone any more.',
    option: '--remove-masquerade',
    example: 'remove_masquerade dmz',
  }),
  list_icmp_block: words('list_icmp_block', '--list-icmp-blocks', 'Lists the blocked types of ICMP.'),
  block_icmp: defineFunction({
    doc: 'Blocks a type of ICMP.',
    params: { ...ZONE, ...ICMP, ...PERMANENT },
    returns: 'success; false for an unknown type',
    examples: ["salt '*' firewalld.block_icmp public echo-reply"],
    run: (ctx, { icmp, ...at }) => changeIcmp(ctx, at, icmp, true),
  }),
  allow_icmp: defineFunction({
    doc: 'Does not block a type of ICMP any more.',
    params: { ...ZONE, ...ICMP, ...PERMANENT },
    returns: 'success; false for an unknown type',
    examples: ["salt '*' firewalld.allow_icmp public echo-reply"],
    run: (ctx, { icmp, ...at }) => changeIcmp(ctx, at, icmp, false),
  }),
  get_interfaces: words('get_interfaces', '--list-interfaces', 'Lists the interfaces of a zone.'),
  add_interface: interfaceChange({
    doc: 'Binds an interface to a zone.',
    option: '--add-interface',
    example: 'add_interface public eth0',
  }),
  remove_interface: interfaceChange({
    doc: 'Does not bind an interface to a zone any more.',
    option: '--remove-interface',
    example: 'remove_interface public eth0',
  }),
  get_sources: words('get_sources', '--list-sources', 'Lists the networks of a zone.'),
  add_source: sourceChange({
    doc: 'Binds a network to a zone.',
    option: '--add-source',
    example: 'add_source public 192.0.2.0/24',
  }),
  remove_source: sourceChange({
    doc: 'Does not bind a network to a zone any more.',
    option: '--remove-source',
    example: 'remove_source public 192.0.2.0/24',
  }),
  get_rich_rules: defineFunction({
    doc: 'Lists the rich rules of a zone.',
    params: { ...ZONE, ...PERMANENT },
    returns: 'list of rules',
    examples: ["salt '*' firewalld.get_rich_rules public"],
    run: async (ctx, at) => splitLines(await firewall(ctx, zoneWords(at, '--list-rich-rules'))),
  }),
  add_rich_rule: ruleChange({
    doc: 'Adds a rich rule to a zone.',
    option: '--add-rich-rule',
    example: `add_rich_rule public 'rule service name="ssh" accept'`,
  }),
  remove_rich_rule: ruleChange({
    doc: 'Takes a rich rule out of a zone.',
    option: '--remove-rich-rule',
    example: `remove_rich_rule public 'rule service name="ssh" accept'`,
  }),
};
