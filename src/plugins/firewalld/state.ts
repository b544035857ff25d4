/** `firewalld`: zones and services of the firewall (3006.16 salt/states/firewalld.py). */
import { findProgram } from '../../host/which.ts';
import { defineModule, type ParamSpec } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { servicePresent } from './state/service.ts';
import { zonePresent } from './state/zone.ts';
import { defineState } from '../shared/state-function.ts';

const list = (doc: string): ParamSpec => param.value({ default: null, type: 'list of str', doc });
const prune = param.flag({ default: false, doc: 'Take away all others of this kind.' });

/** The states of `firewalld`. */
export const firewalldStates = defineModule({
  name: 'firewalld',
  file: 'firewalld',
  doc: 'Zones and services of the firewall.',
  unavailable: () =>
    findProgram('firewall-cmd') === undefined
      ? 'firewall-cmd is not available, firewalld is probably not installed.'
      : undefined,
  words: {},
  functions: {
    present: defineState({
      doc: 'Makes sure of a zone and of what it holds.',
      params: {
        name: param.text({ doc: 'The zone.' }),
        block_icmp: list('Types of ICMP that are blocked.'),
        prune_block_icmp: prune,
        default: param.flag({ default: null, doc: 'Make it the default zone.' }),
        masquerade: param.flag({ default: false, doc: 'Masquerade addresses; switched off without it.' }),
        ports: list('Open ports: `22/tcp`.'),
        prune_ports: prune,
        port_fwd: list('Port forwards: `from:to:protocol[:address]`.'),
        prune_port_fwd: prune,
        services: list('Services.'),
        prune_services: prune,
        interfaces: list('Interfaces.'),
        prune_interfaces: prune,
        sources: list('Networks: `192.0.2.0/24`.'),
        prune_sources: prune,
        rich_rules: list('Rich rules, as `firewall-cmd --list-rich-rules` prints them.'),
        prune_rich_rules: prune,
      },
      run: (ctx, { name, ...order }) => zonePresent(ctx, name, order),
    }),
    service: defineState({
      doc: 'Makes sure of a service and of what it consists of.',
      params: {
        name: param.text({ doc: 'The service.' }),
        ports: list('All of its ports: `4505/tcp`.'),
        protocols: list('All of its protocols: `gre`.'),
      },
      run: (ctx, { name, ...order }) => servicePresent(ctx, name, order),
    }),
  },
});
