/**
 * The scenes that are recorded on the machine of `test/fixtures/machine`: tables of calls, and odd forms of one call of
 * every function.
 */
import { parseArguments } from '../../src/cli/command-line/arguments.ts';
import { splitWords } from '../../src/python/shell-words.ts';
import { MODULE_TABLE } from '../../src/plugins/registry/module/table.generated.ts';
import type { FunctionDescription, ModuleSpec } from '../../src/runtime/loader/module.ts';
import { STATE_TABLE } from '../../src/plugins/registry/state/table.generated.ts';
import { pyStr } from '../../src/python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../src/python/values/value.ts';
import { oddForms, type PlainCall } from '../support/argument-forms.ts';
import type { MachineCall, Scene } from '../support/machine-calls.ts';
import { linesOf, valuesOf } from '../support/machine-subjects.ts';
import { callOf, callTables, readCallGroups, valueToJson, type ModuleCall } from '../support/module-calls.ts';
import { readStateCases, runsOf, stateTables } from '../support/state-cases.ts';

/** A scene with the name of the file that it goes into. */
export interface TabledScene {
  readonly table: string;
  readonly scene: Scene;
}

/** All scenes. */
export async function machineScenes(): Promise<TabledScene[]> {
  return [...tableScenes(), ...caseScenes(), ...(await functionScenes()), ...(await stateScenes())];
}

/** The groups of `test/compare/module-calls` that are marked for the machine. */
function tableScenes(): TabledScene[] {
  return callTables().flatMap((table) =>
    readCallGroups(table)
      .filter(({ machine }) => machine === true)
      .map((group): TabledScene => {
        const kept = group.calls.map(callOf).filter(isKept);
        const mask = [...new Set(kept.flatMap((call) => call.mask ?? []))];
        const maskText = [...new Set(kept.flatMap((call) => call.maskText ?? []))];
        const scene: Scene = {
          scene: group.group,
          ...(group.test === undefined ? {} : { test: group.test }),
          ...(group.files === undefined ? {} : { files: group.files }),
          ...(group.minion === undefined ? {} : { minion: group.minion }),
          ...(mask.length === 0 ? {} : { mask }),
          ...(maskText.length === 0 ? {} : { maskText }),
          ...(kept.some(({ unordered }) => unordered === true) ? { unordered: true } : {}),
          calls: kept.map(({ call }) => call),
        };
        return { table, scene };
      }),
  );
}

/** Functions that ask the kernel, which the machine does not have one of. */
const OF_THE_HOST = new Set(
  `file.get_devmm file.statvfs mount.get_device_from_path mount.get_mount_from_path mount.active mount.swaps status.diskusage
  network.get_hostname network.get_fqdn network.fqdns network.active_tcp network.get_bufsize network.mod_hostname network.mod_bufsize
  system.get_system_date system.get_system_time system.get_system_date_time system.get_computer_name system.get_computer_desc`.split(
    /\s+/,
  ),
);

/** Only answers that are the same everywhere, of calls that reach nobody. */
function isKept({ call, differs, shape }: ModuleCall): boolean {
  const isOfTheHost = OF_THE_HOST.has(call.split(' ')[0] ?? '');
  return differs === undefined && shape !== true && !call.includes('{http}') && !isOfTheHost;
}

/**
 * The cases of `test/compare/state-cases` that the unit tests do not replay already, and that need only the machine.
 */
function caseScenes(): TabledScene[] {
  return stateTables().flatMap((table) =>
    readStateCases(table).flatMap((given): TabledScene[] => {
      const { sls, files = {}, pillar, setup = '' } = given;
      const isHosts = setup !== '' && !setup.includes('$FAKE_CRONTABS');
      const asks = `${sls}${JSON.stringify(files)}`.includes('{http}');
      if (given.record === true || given.differs !== undefined || given.grains === true || isHosts || asks)
        return [];
      const named = (text: string): string => text.replaceAll('{name}', 'dir');
      const givenFiles = Object.entries(files).map(([path, file]) => [
        path,
        typeof file === 'string' ? named(file) : file,
      ]);
      const keywords = pillar === undefined ? {} : { pillar: valueToJson(pillar) };
      const scene: Scene = {
        scene: `case ${given.case}`,
        files: { ...(Object.fromEntries(givenFiles) as typeof files), 'case.sls': named(sls) },
        ...(setup === '' ? {} : { setup }),
        ...(given.mask === undefined ? {} : { mask: given.mask }),
        ...(given.maskText === undefined ? {} : { maskText: given.maskText }),
        ...(given.unordered === undefined ? {} : { unordered: true }),
        calls: runsOf(given).map((kind) => ({
          fun: 'state.sls',
          args: ['dir.case'],
          kwargs: { test: kind === 'test', ...keywords },
        })),
      };
      return [{ table: `states-${table}`, scene }];
    }),
  );
}

/** A line of the lists of calls: the words, and how its answers are compared. */
interface Listed {
  readonly call: PlainCall;
  readonly options: { readonly shape?: boolean };
}

function listed(part: 'functions' | 'states'): Listed[] {
  return linesOf(part).map((line) => {
    const [text = '', note] = line.split(' # ');
    const [fun = '', ...words] = splitWords(text);
    const published = parseArguments(words);
    const last = published.at(-1);
    const hasKeywords = isDict(last) && last.get('__kwarg__') === true;
    const kwargs: Dict = hasKeywords ? new Map([...last].slice(1)) : new Map<Value, Value>();
    const call = { fun, args: hasKeywords ? published.slice(0, -1) : published, kwargs };
    return { call, options: note === 'shape' ? { shape: true } : {} };
  });
}

async function specOf(
  table: readonly { readonly name: string; readonly load: () => Promise<ModuleSpec> }[],
  fun: string,
): Promise<FunctionDescription> {
  const [name, short = ''] = fun.split('.');
  for (const entry of table.filter((each) => each.name === name)) {
    const spec = (await entry.load()).functions[short];
    if (spec !== undefined) return spec;
  }
  throw new Error(`test/fixtures/machine/subjects names ${fun}, which does not exist`);
}

/** Calls of pip without a place: they reach the pip of this host, and the network. */
function reachesHostPip(form: MachineCall): boolean {
  const { fun, args = [], kwargs = {} } = typeof form === 'string' ? { fun: form } : form;
  const isNamed = args.length > 2 || typeof (kwargs['bin_env'] ?? null) === 'string';
  return fun.startsWith('pip.') && !isNamed;
}

/** Lines of the configuration without which a module's functions would look at the host, by the module's subject. */
function optionsOf(): Map<string, { readonly minion: readonly string[] }> {
  return new Map(
    valuesOf('minion').map(({ subject, value }) => [subject, { minion: (value as Value[]).map(pyStr) }]),
  );
}

async function functionScenes(): Promise<TabledScene[]> {
  const scenes: TabledScene[] = [];
  const minions = optionsOf();
  for (const { call, options } of listed('functions')) {
    const calls = oddForms(call, await specOf(MODULE_TABLE, call.fun)).filter(
      (form) => !reachesHostPip(form),
    );
    const table = call.fun.split('.')[0] ?? '';
    scenes.push({
      table,
      scene: { scene: `forms of ${call.fun}`, fresh: true, ...options, ...minions.get(table), calls },
    });
  }
  return scenes;
}

/** The same for states: each call is a low chunk, made in both modes. */
async function stateScenes(): Promise<TabledScene[]> {
  const scenes: TabledScene[] = [];
  const minions = optionsOf();
  for (const { call } of listed('states')) {
    const spec = await specOf(STATE_TABLE, call.fun);
    const [state = '', fun = ''] = call.fun.split('.');
    const forms = oddForms(call, { ...spec, varargs: 'none' }).filter((form) => !reachesHostPip(form));
    const calls = forms.map((form): MachineCall => {
      const given = typeof form === 'string' ? {} : (form.kwargs ?? {});
      const low = dict({ state, fun, __id__: 'id', __sls__: 'sls', __env__: 'base', order: 1 });
      const all = Object.hasOwn(given, 'name') ? given : { name: 'id', ...given };
      const fields = valueToJson(low) as { dict: unknown[] };
      return { fun: 'state.low', args: [{ dict: [...fields.dict, ...Object.entries(all)] }] };
    });
    const table = `states-${state}`;
    const title = `forms of ${call.fun}`;
    const more = { fresh: true, ...minions.get(state) };
    scenes.push({ table, scene: { scene: title, ...more, calls } });
    scenes.push({
      table,
      scene: { scene: `${title}, tested`, ...more, test: true, calls: calls.slice(0, 4) },
    });
  }
  return scenes;
}
