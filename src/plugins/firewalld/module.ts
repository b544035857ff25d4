/** `firewalld`: zones and services of the firewall. Follows 3006.16 salt/modules/firewalld.py. */
import { findProgram } from '../../host/which.ts';
import { defineFunction, defineModule, type FunctionSpec } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { firewall, manage, printedWords, zonesIn, zoneWords } from './module/run.ts';
import { SERVICE_FUNCTIONS } from './module/services.ts';
import { ZONE_ITEM_FUNCTIONS } from './module/zone-items.ts';

const ZONE = { zone: param.text({ doc: 'The zone.' }) } as const;
const PERMANENT = {
  permanent: param.flag({ default: true, doc: 'The configuration that is kept, not the one of now.' }),
} as const;
const RESTART = {
  restart: param.flag({ default: true, doc: 'Have the rules read again, so that it is known at once.' }),
} as const;
const SAID = 'what firewall-cmd printed: success';

/** A function without parameters that returns what one command prints. */
const said = (fun: string, option: string, doc: string): FunctionSpec =>
  defineFunction({
    doc,
    returns: 'what firewall-cmd printed',
    examples: [`salt '*' firewalld.${fun}`],
    run: (ctx) => firewall(ctx, [option]),
  });

/** A function that lists what there is to choose from. */
const known = (fun: string, option: string, doc: string): FunctionSpec =>
  defineFunction({
    doc,
    params: PERMANENT,
    returns: 'list of names',
    examples: [`salt '*' firewalld.${fun}`],
    run: (ctx, { permanent }) => printedWords(ctx, zoneWords({ zone: undefined, permanent }, option)),
  });

/** The module. */
export const firewalldModule = defineModule({
  name: 'firewalld',
  file: 'firewalld',
  doc: 'Zones and services of the firewall (`firewall-cmd`).',
  unavailable: () =>
    findProgram('firewall-cmd') === undefined
      ? 'The firewalld execution module cannot be loaded: the firewall-cmd binary is not in the path.'
      : undefined,
  // each is the value of an option, in one word with it
  words: { dashes: 'any' },
  failsWith: { false: ['allow_icmp', 'block_icmp'] },
  functions: {
    version: said('version', '--version', 'Returns the version of firewalld.'),
    reload_rules: said('reload_rules', '--reload', 'Makes the kept configuration the one of now.'),
    make_permanent: said('make_permanent', '--runtime-to-permanent', 'Keeps the configuration of now.'),
    default_zone: said('default_zone', '--get-default-zone', 'Returns the default zone.'),
    set_default_zone: defineFunction({
      doc: 'Makes a zone the default one.',
      params: ZONE,
      returns: SAID,
      examples: ["salt '*' firewalld.set_default_zone public"],
      run: (ctx, { zone }) => firewall(ctx, [`--set-default-zone=${zone}`]),
    }),
    get_zones: known('get_zones', '--get-zones', 'Lists the zones.'),
    get_services: known('get_services', '--get-services', 'Lists the services that are defined.'),
    get_icmp_types: known('get_icmp_types', '--get-icmptypes', 'Lists the types of ICMP.'),
    list_zones: defineFunction({
      doc: 'Lists all zones with what they hold.',
      params: PERMANENT,
      returns: 'mapping of zone to mapping of option to list',
      examples: ["salt '*' firewalld.list_zones"],
      run: async (ctx, { permanent }) =>
        zonesIn(await firewall(ctx, zoneWords({ zone: undefined, permanent }, '--list-all-zones'))),
    }),
    list_all: defineFunction({
      doc: 'Lists what a zone holds.',
      params: {
        zone: param.textIfGiven({ default: null, doc: 'The zone; the default zone without one.' }),
        ...PERMANENT,
      },
      returns: 'mapping of zone to mapping of option to list',
      examples: ["salt '*' firewalld.list_all public"],
      run: async (ctx, at) => zonesIn(await firewall(ctx, zoneWords(at, '--list-all'))),
    }),
    new_zone: defineFunction({
      doc: 'Adds a zone.',
      params: { ...ZONE, ...RESTART },
      returns: SAID,
      examples: ["salt '*' firewalld.new_zone my_zone"],
      run: (ctx, { zone, restart }) => manage(ctx, `--new-zone=${zone}`, restart),
    }),
    delete_zone: defineFunction({
      doc: 'Removes a zone.',
      params: { ...ZONE, ...RESTART },
      returns: SAID,
      examples: ["salt '*' firewalld.delete_zone my_zone"],
      run: (ctx, { zone, restart }) => manage(ctx, `--delete-zone=${zone}`, restart),
    }),
    ...SERVICE_FUNCTIONS,
    ...ZONE_ITEM_FUNCTIONS,
  },
});
