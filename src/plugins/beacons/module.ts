/** `beacons.*`: what the minion watches by itself (3006.16 salt/modules/beacons.py). */
import { defineFunction, defineModule, type FunctionSpec } from '../../runtime/loader/module.ts';
import { dict, type Value } from '../../python/values/value.ts';
import { dumpYaml } from '../../formats/yaml/dump.ts';
import { availableBeacons, listBeacons } from './module/ask.ts';
import {
  addBeacon,
  deleteBeacon,
  modifyBeacon,
  resetBeacons,
  saveBeacons,
  setAllEnabled,
  setBeaconEnabled,
} from './module/change.ts';
import { param } from '../../runtime/loader/params.ts';

const name = param.value({ type: 'str', doc: 'The name of the beacon.' });
const beacon_data = param.value({ type: 'list', doc: 'Its configuration: a list of mappings.' });
const return_yaml = param.flag({ default: true, doc: 'As YAML text.' });
const kwargs = 'kwargs';
const said = 'mapping of `comment` and `result`';

const asYaml = (beacons: Value): string => dumpYaml(new Map<Value, Value>([['beacons', beacons]]));

function toggle(isEnabled: boolean): FunctionSpec {
  return defineFunction({
    doc: `${isEnabled ? 'Enables' : 'Disables'} a beacon.`,
    params: { name },
    kwargs,
    returns: said,
    examples: [`salt '*' beacons.${isEnabled ? 'enable' : 'disable'}_beacon ps`],
    run: (ctx, args, _rest, keywords) => setBeaconEnabled(ctx, args.name, isEnabled, keywords),
  });
}

function toggleAll(isEnabled: boolean): FunctionSpec {
  return defineFunction({
    doc: `${isEnabled ? 'Enables' : 'Disables'} all beacons.`,
    kwargs,
    returns: said,
    run: (ctx, _args, _rest, keywords) => setAllEnabled(ctx, isEnabled, keywords),
  });
}

/** The module `beacons`. */
export const beaconsModule = defineModule({
  name: 'beacons',
  file: 'beacons',
  doc: 'Beacons: what a minion watches by itself and reports to its master.',
  functions: {
    list: defineFunction({
      doc: 'Lists the configured beacons.',
      pythonName: 'list_',
      params: {
        return_yaml,
        include_pillar: param.flag({ default: true, doc: 'Those of the pillar.' }),
        include_opts: param.flag({ default: true, doc: 'Those of the configuration.' }),
      },
      kwargs,
      returns: 'YAML text, or mapping of name to configuration',
      examples: ["salt '*' beacons.list"],
      run: async (ctx, args) => {
        const options = { pillar: args.include_pillar, configured: args.include_opts };
        const beacons = (await listBeacons(ctx, options)) ?? null;
        return args.return_yaml ? asYaml(beacons) : beacons;
      },
    }),
    list_available: defineFunction({
      doc: 'Lists the kinds of beacons there are.',
      params: { return_yaml },
      kwargs,
      returns: 'YAML text, or list of names',
      examples: ["salt '*' beacons.list_available"],
      run: async (ctx, args) => {
        const names = await availableBeacons(ctx);
        if (names.length === 0) return dict({ beacons: {} });
        return args.return_yaml ? asYaml(names) : names;
      },
    }),
    add: defineFunction({
      doc: 'Adds a beacon; `beacons.save` keeps it.',
      params: { name, beacon_data },
      kwargs,
      returns: said,
      examples: [
        `salt '*' beacons.add ps "[{'processes': {'salt-master': 'stopped', 'apache2': 'stopped'}}]"`,
      ],
      run: (ctx, args, _rest, keywords) => addBeacon(ctx, args.name, args.beacon_data, keywords),
    }),
    modify: defineFunction({
      doc: 'Replaces the configuration of a beacon.',
      params: { name, beacon_data },
      kwargs,
      returns: 'mapping of `comment`, `result` and `changes`',
      examples: [`salt '*' beacons.modify ps "[{'salt-master': 'stopped'}, {'apache2': 'stopped'}]"`],
      run: (ctx, args, _rest, keywords) => modifyBeacon(ctx, args.name, args.beacon_data, keywords),
    }),
    delete: defineFunction({
      doc: 'Removes a beacon.',
      params: { name },
      kwargs,
      returns: said,
      examples: ["salt '*' beacons.delete ps"],
      run: (ctx, args, _rest, keywords) => deleteBeacon(ctx, args.name, keywords),
    }),
    save: defineFunction({
      doc: 'Writes the beacons that are not from the pillar to `minion.d/beacons.conf`.',
      kwargs,
      returns: said,
      run: (ctx) => saveBeacons(ctx),
    }),
    enable: toggleAll(true),
    disable: toggleAll(false),
    enable_beacon: toggle(true),
    disable_beacon: toggle(false),
    reset: defineFunction({
      doc: 'Removes all beacons.',
      kwargs,
      returns: said,
      run: (ctx, _args, _rest, keywords) => resetBeacons(ctx, keywords),
    }),
  },
});
