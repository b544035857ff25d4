/** `helm`: charts and releases in Kubernetes. Follows 3006.16 salt/modules/helm.py. */
import { pyStr } from '../../python/values/repr.ts';
import { truthy, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type FunctionSpec } from '../../runtime/loader/module.ts';
import { param, readArguments } from '../../runtime/loader/params.ts';
import { manageRepositories, repositoriesIn } from './module/repositories.ts';
import {
  flagsOf,
  helmData,
  helmDone,
  helmText,
  kvflagsOf,
  listIn,
  operandOf,
  withOptions,
} from './module/run.ts';

const OPTIONS = {
  flags: param.by(flagsOf, { default: null, type: 'list', doc: 'Options of helm without a value.' }),
  kvflags: param.by(kvflagsOf, { default: null, type: 'dict', doc: 'Options of helm with their values.' }),
} as const;

/** One setting or a list of them. */
const settingsOf = (value: Value): string[] | undefined =>
  truthy(value) ? (Array.isArray(value) ? value : [value]).map(pyStr) : undefined;

/** Options that functions take by their own names, as helm calls them. */
const KEYED = {
  values: { option: 'values', param: param.textIfGiven({ default: null, doc: 'A file of values.' }) },
  version: {
    option: 'version',
    param: param.textIfGiven({ default: null, doc: 'The version of the chart.' }),
  },
  namespace: { option: 'namespace', param: param.textIfGiven({ default: null, doc: 'The namespace.' }) },
  output_dir: {
    option: 'output-dir',
    param: param.textIfGiven({ default: null, doc: 'Write into this folder, and not to the output.' }),
  },
  set: {
    option: 'set',
    param: param.by(settingsOf, {
      default: null,
      type: 'str or list',
      doc: 'A value on the command line: key=value, or a list of these.',
    }),
  },
} as const;
type Keyed = keyof typeof KEYED;

const ANSWERS = {
  done: { ask: helmDone, returns: 'true, or what went wrong' },
  text: { ask: helmText, returns: 'what helm says' },
  data: { ask: helmData, returns: 'the data that helm answers with, or what went wrong' },
} as const;

/** A function that runs one command of helm. */
interface Described {
  readonly doc: string;
  /** The words of the command. */
  readonly words: string;
  readonly answer: keyof typeof ANSWERS;
  /** What the command is about, with what it is. */
  readonly operands?: Readonly<Record<string, string>>;
  readonly keyed?: readonly Keyed[];
  readonly pythonName?: string;
}

function helmFunction({
  doc,
  words,
  answer,
  operands = {},
  keyed = [],
  pythonName,
}: Described): FunctionSpec {
  const about = Object.fromEntries(
    Object.entries(operands).map(([name, said]) => [name, param.by(operandOf, { type: 'str', doc: said })]),
  );
  const further = Object.fromEntries(keyed.map((name) => [name, KEYED[name].param]));
  const { ask, returns } = ANSWERS[answer];
  return {
    doc,
    params: { ...about, ...further, ...OPTIONS },
    returns,
    examples: [`salt '*' helm.${words.replaceAll(' ', '_')} ${Object.keys(operands).join(' ')}`.trimEnd()],
    ...(pythonName === undefined ? {} : { pythonName }),
    run: (ctx, args) => {
      const { flags, kvflags } = readArguments(OPTIONS, args);
      const [named, options] = [readArguments(about, args), readArguments(further, args)];
      return ask(ctx, {
        words: words.split(' '),
        operands: Object.keys(operands).map((name) => named[name] ?? ''),
        flags,
        kvflags: withOptions(
          kvflags,
          Object.fromEntries(keyed.map((name) => [KEYED[name].option, options[name]])),
        ),
      });
    },
  };
}

const RELEASE = { release: 'The release.' } as const;
const CHART = { chart: 'The chart.' } as const;
const NAMESPACED: readonly Keyed[] = ['namespace'];
const DEPLOYED: readonly Keyed[] = ['values', 'version', 'namespace', 'set'];

const charts = {
  create: helmFunction({
    doc: 'Makes a new chart.',
    words: 'create',
    answer: 'done',
    operands: { name: 'The chart.' },
  }),
  dependency_build: helmFunction({
    doc: 'Builds charts/ from Chart.lock.',
    words: 'dependency build',
    answer: 'done',
    operands: CHART,
  }),
  dependency_list: helmFunction({
    doc: 'Lists what a chart depends on.',
    words: 'dependency list',
    answer: 'text',
    operands: CHART,
  }),
  dependency_update: helmFunction({
    doc: 'Brings what a chart depends on up to date.',
    words: 'dependency update',
    answer: 'done',
    operands: CHART,
  }),
  lint: helmFunction({
    doc: 'Examines a chart.',
    words: 'lint',
    answer: 'done',
    operands: { path: 'The chart.' },
    keyed: ['values', 'namespace', 'set'],
  }),
  package: helmFunction({ doc: 'Packs a chart.', words: 'package', answer: 'done', operands: CHART }),
  pull: helmFunction({
    doc: 'Brings a chart from a repository.',
    words: 'pull',
    answer: 'done',
    operands: { pkg: 'The chart.' },
  }),
  search_hub: helmFunction({
    doc: 'Looks for charts in the Artifact Hub.',
    words: 'search hub',
    answer: 'data',
    operands: { keyword: 'What is looked for.' },
  }),
  search_repo: helmFunction({
    doc: 'Looks for charts in the repositories.',
    words: 'search repo',
    answer: 'data',
    operands: { keyword: 'What is looked for.' },
  }),
  show_all: helmFunction({
    doc: 'Shows all of a chart.',
    words: 'show all',
    answer: 'text',
    operands: CHART,
  }),
  show_chart: helmFunction({
    doc: 'Shows the definition of a chart.',
    words: 'show chart',
    answer: 'text',
    operands: CHART,
  }),
  show_readme: helmFunction({
    doc: 'Shows the README of a chart.',
    words: 'show readme',
    answer: 'text',
    operands: CHART,
  }),
  show_values: helmFunction({
    doc: 'Shows the values of a chart.',
    words: 'show values',
    answer: 'text',
    operands: CHART,
  }),
  template: helmFunction({
    doc: 'Renders a chart here.',
    words: 'template',
    answer: 'text',
    operands: { name: 'The release.', ...CHART },
    keyed: ['values', 'output_dir', 'set'],
  }),
  verify: helmFunction({
    doc: 'Verifies the signature of a chart.',
    words: 'verify',
    answer: 'done',
    operands: { path: 'The chart.' },
  }),
};

const releases = {
  get_all: helmFunction({
    doc: 'Shows all of a release.',
    words: 'get all',
    answer: 'text',
    operands: RELEASE,
  }),
  get_hooks: helmFunction({
    doc: 'Shows the hooks of a release.',
    words: 'get hooks',
    answer: 'text',
    operands: RELEASE,
  }),
  get_manifest: helmFunction({
    doc: 'Shows the manifest of a release.',
    words: 'get manifest',
    answer: 'text',
    operands: RELEASE,
  }),
  get_notes: helmFunction({
    doc: 'Shows the notes of a release.',
    words: 'get notes',
    answer: 'text',
    operands: RELEASE,
  }),
  get_values: helmFunction({
    doc: 'Returns the values of a release.',
    words: 'get values',
    answer: 'data',
    operands: RELEASE,
  }),
  history: helmFunction({
    doc: 'Returns the revisions of a release.',
    words: 'history',
    answer: 'data',
    operands: RELEASE,
  }),
  install: helmFunction({
    doc: 'Installs a chart as a release.',
    words: 'install',
    answer: 'done',
    operands: { ...RELEASE, ...CHART },
    keyed: DEPLOYED,
  }),
  list: helmFunction({
    doc: 'Lists the releases.',
    words: 'list',
    answer: 'data',
    keyed: NAMESPACED,
    pythonName: 'list_',
  }),
  rollback: helmFunction({
    doc: 'Brings a release back to a revision.',
    words: 'rollback',
    answer: 'done',
    operands: { ...RELEASE, revision: 'The revision.' },
    keyed: NAMESPACED,
  }),
  status: helmFunction({
    doc: 'Returns the state of a release.',
    words: 'status',
    answer: 'data',
    operands: RELEASE,
    keyed: NAMESPACED,
  }),
  test: helmFunction({
    doc: 'Runs the tests of a release.',
    words: 'test',
    answer: 'text',
    operands: RELEASE,
  }),
  uninstall: helmFunction({
    doc: 'Removes a release.',
    words: 'uninstall',
    answer: 'done',
    operands: RELEASE,
    keyed: NAMESPACED,
  }),
  upgrade: helmFunction({
    doc: 'Brings a release up to date.',
    words: 'upgrade',
    answer: 'done',
    operands: { ...RELEASE, ...CHART },
    keyed: DEPLOYED,
  }),
};

const repositories = {
  repo_add: helmFunction({
    doc: 'Adds a repository of charts.',
    words: 'repo add',
    answer: 'done',
    operands: { name: 'Its name.', url: 'Where it is.' },
    keyed: NAMESPACED,
  }),
  repo_index: helmFunction({
    doc: 'Makes the index of a folder of charts.',
    words: 'repo index',
    answer: 'done',
    operands: { directory: 'The folder.' },
    keyed: NAMESPACED,
  }),
  repo_list: helmFunction({
    doc: 'Lists the repositories of charts.',
    words: 'repo list',
    answer: 'data',
    keyed: NAMESPACED,
  }),
  repo_remove: helmFunction({
    doc: 'Removes a repository of charts.',
    words: 'repo remove',
    answer: 'done',
    operands: { name: 'Its name.' },
    keyed: NAMESPACED,
  }),
  repo_update: helmFunction({
    doc: 'Brings what is known of the repositories up to date.',
    words: 'repo update',
    answer: 'done',
    keyed: NAMESPACED,
  }),
  repo_manage: defineFunction({
    doc: 'Adds and removes repositories of charts.',
    params: {
      present: param.by(repositoriesIn, {
        default: null,
        type: 'list',
        doc: 'Those that are to be there, each with name and url.',
      }),
      absent: param.by((value: Value) => listIn(value, 'absent'), {
        default: null,
        type: 'list of str',
        doc: 'Those that are not to be there.',
      }),
      prune: param.flag({ default: false, doc: 'Remove all others.' }),
      namespace: KEYED.namespace.param,
      ...OPTIONS,
    },
    returns: 'mapping of present, added, absent, removed and failed to lists',
    examples: [
      "salt '*' helm.repo_manage present=\"[{'name': 'LOCAL', 'url': 'http://localhost:1234'}]\" prune=True",
    ],
    run: (ctx, wish) => manageRepositories(ctx, wish),
  }),
};

const itself = {
  completion: helmFunction({
    doc: 'Prints the completion for a shell.',
    words: 'completion',
    answer: 'text',
    operands: { shell: 'bash or zsh.' },
  }),
  env: helmFunction({ doc: 'Shows the variables of helm.', words: 'env', answer: 'text' }),
  help: helmFunction({
    doc: 'Shows the help of a command.',
    words: 'help',
    answer: 'text',
    operands: { command: 'The command.' },
    pythonName: 'help_',
  }),
  plugin_install: helmFunction({
    doc: 'Installs a plugin.',
    words: 'plugin install',
    answer: 'done',
    operands: { path: 'Where it is.' },
  }),
  plugin_list: helmFunction({ doc: 'Lists the plugins.', words: 'plugin list', answer: 'text' }),
  plugin_uninstall: helmFunction({
    doc: 'Removes a plugin.',
    words: 'plugin uninstall',
    answer: 'done',
    operands: { plugin: 'The plugin.' },
  }),
  plugin_update: helmFunction({
    doc: 'Brings a plugin up to date.',
    words: 'plugin update',
    answer: 'done',
    operands: { plugin: 'The plugin.' },
  }),
  version: helmFunction({ doc: 'Shows the version of helm.', words: 'version', answer: 'text' }),
};

/** The module. */
export const helmModule = defineModule({
  name: 'helm',
  file: 'helm',
  doc: 'Charts and releases in Kubernetes, by helm.',
  // what is not exempt is an operand
  words: { lines: ['kvflags', 'set'], dashes: ['flags', 'kvflags', ...Object.keys(KEYED)] },
  failsWith: {
    text: [
      'create',
      'dependency_build',
      'dependency_update',
      'install',
      'lint',
      'package',
      'plugin_install',
      'plugin_uninstall',
      'plugin_update',
      'pull',
      'repo_add',
      'repo_index',
      'repo_remove',
      'repo_update',
      'rollback',
      'uninstall',
      'upgrade',
      'verify',
    ],
  },
  functions: { ...charts, ...releases, ...repositories, ...itself },
});
