/** `sys.*`: which functions there are, and what they take (3006.16 salt/modules/sysmod.py). */
import {
  argspecReport,
  argumentSchema,
  catalogOf,
  chooseForDoc,
  chooseFunctions,
  chooseModules,
  type Catalog,
} from '../../runtime/loader/catalog.ts';
import { functionDoc, moduleDoc } from '../../runtime/loader/documentation.ts';
import {
  defineFunction,
  defineModule,
  type CatalogKind,
  type FunctionDescription,
  type FunctionSpec,
  type ModuleContext,
  type ModuleDescription,
} from '../../runtime/loader/module.ts';
import { filterNames } from '../../python/text/fnmatch.ts';
import { pyStr } from '../../python/values/repr.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import { param } from '../../runtime/loader/params.ts';

/** Execution modules, or one of the other kinds. */
type Kind = 'modules' | CatalogKind;

function modulesOf(ctx: ModuleContext, kind: Kind): Promise<ReadonlyMap<string, ModuleDescription>> {
  return kind === 'modules' ? ctx.functions.modules() : ctx.functions.catalog(kind);
}

async function catalog(ctx: ModuleContext, kind: Kind): Promise<Catalog> {
  return catalogOf(await modulesOf(ctx, kind));
}

function words(rest: readonly Value[]): string[] {
  return rest.map((word) => pyStr(word));
}

function docsOf(functions: Catalog, names: readonly string[], kind: Kind): Dict {
  const described = (name: string): FunctionDescription => {
    const spec = functions.get(name) as FunctionDescription;
    if (kind !== 'states' || spec.examples !== undefined) return spec;
    return { ...spec, examples: [stateExample(name, spec)] };
  };
  return new Map(
    names.map((name) => {
      const spec = described(name);
      // a function in Python that has no docstring has none here either (salt/modules/sysmod.py `doc`, 3006.16)
      return [name, spec.docstring === '' ? null : functionDoc(name, spec)];
    }),
  );
}

/** How a state is tried by itself, with everything that has to be given. */
function stateExample(name: string, { params = {} }: FunctionDescription): string {
  const required = Object.keys(params).filter((key) => key !== 'name' && params[key]?.default === undefined);
  return [`salt '*' state.single ${name} <name>`, ...required.map((key) => `${key}=<${key}>`)].join(' ');
}

const docFunction = { varargs: 'args', returns: 'mapping of full name to documentation' } as const;
const listFunction = { varargs: 'args', returns: 'sorted list' } as const;
const openListFunction = { ...listFunction, kwargs: 'kwargs' } as const;
const moduleParam = {
  module: param.text({ default: '', doc: 'A module, a function, or a glob over full names of functions.' }),
} as const;

function docs(kind: Kind, what: string): FunctionSpec {
  return defineFunction({
    doc: `Gives the documentation of ${what}: of all, or of those given as modules, full names or globs.`,
    ...docFunction,
    run: async (ctx, _args, rest) => {
      const functions = await catalog(ctx, kind);
      return docsOf(functions, chooseForDoc(functions.keys(), words(rest)), kind);
    },
  });
}

function functionList(kind: Kind, what: string): FunctionSpec {
  return defineFunction({
    doc: `Lists ${what}: all, or those of the given modules, full names and globs.`,
    ...openListFunction,
    run: async (ctx, _args, rest) => chooseFunctions((await catalog(ctx, kind)).keys(), words(rest)),
  });
}

function moduleList(kind: Kind, what: string): FunctionSpec {
  return defineFunction({
    doc: `Lists ${what}: all, or those that match the given names and globs.`,
    ...listFunction,
    run: async (ctx, _args, rest) => chooseModules((await catalog(ctx, kind)).keys(), words(rest)),
  });
}

function argspecs(kind: Kind, what: string): FunctionSpec {
  return defineFunction({
    doc: `Returns which arguments ${what} take.`,
    params: moduleParam,
    returns:
      'mapping of full name to `{args: list, defaults: list, varargs: True, kwargs: True}`, None for what is not there',
    run: async (ctx, { module }) => argspecReport(await catalog(ctx, kind), module),
  });
}

/** The module `sys`. */
export const sysModule = defineModule({
  name: 'sys',
  file: 'sysmod',
  doc: 'The functions of this minion: their names, their documentation, their arguments.',
  functions: {
    doc: {
      ...docs('modules', 'functions'),
      examples: ["salt '*' sys.doc", "salt '*' sys.doc sys", "salt '*' sys.doc sys.doc 'sys.list_*'"],
    },
    state_doc: defineFunction({
      doc: 'Gives the documentation of state functions: of all, or of those given as modules, full names or globs.',
      ...docFunction,
      run: async (ctx, _args, rest) => {
        const modules = await modulesOf(ctx, 'states');
        const functions = catalogOf(modules);
        const names = chooseForDoc(functions.keys(), words(rest));
        const states = new Set(names.map((name) => name.slice(0, name.indexOf('.'))));
        const about = [...states].map((name): [string, Value] => [
          name,
          moduleDoc(modules.get(name) ?? param.value({ doc: '' })),
        ]);
        return new Map<Value, Value>([...about, ...docsOf(functions, names, 'states')]);
      },
    }),
    runner_doc: docs('runners', 'runner functions'),
    returner_doc: docs('returners', 'returner functions'),
    renderer_doc: defineFunction({
      doc: 'Gives the documentation of renderers: of all, or of those given by name or glob.',
      ...docFunction,
      run: async (ctx, _args, rest) => {
        const renderers = await ctx.functions.catalog('renderers');
        // Salt compat: Salt finds a renderer here only by a glob; its plain name does, too.
        const names =
          rest.length === 0
            ? [...renderers.keys()]
            : words(rest).flatMap((w) => filterNames(renderers.keys(), w));
        return new Map(
          names.map((name) => [name, moduleDoc(renderers.get(name) ?? param.value({ doc: '' }))]),
        );
      },
    }),
    list_functions: {
      ...functionList('modules', 'functions'),
      examples: ["salt '*' sys.list_functions", "salt '*' sys.list_functions sys 'test.ver*'"],
    },
    list_modules: {
      ...moduleList('modules', 'modules'),
      examples: ["salt '*' sys.list_modules", "salt '*' sys.list_modules 's*'"],
    },
    list_state_functions: functionList('states', 'state functions'),
    list_state_modules: moduleList('states', 'state modules'),
    list_runner_functions: functionList('runners', 'runner functions'),
    list_runners: moduleList('runners', 'runners'),
    list_returner_functions: functionList('returners', 'returner functions'),
    list_returners: moduleList('returners', 'returners'),
    list_renderers: defineFunction({
      doc: 'Lists the renderers: all, or those that match the given names and globs.',
      ...listFunction,
      run: async (ctx, _args, rest) => {
        const names = [...(await ctx.functions.catalog('renderers')).keys()];
        const chosen = rest.length === 0 ? names : words(rest).flatMap((word) => filterNames(names, word));
        return [...new Set(chosen)].sort();
      },
    }),
    argspec: {
      ...argspecs('modules', 'functions'),
      examples: [
        "salt '*' sys.argspec test.echo",
        "salt '*' sys.argspec sys",
        "salt '*' sys.argspec 'grains.*'",
      ],
    },
    state_argspec: argspecs('states', 'state functions'),
    runner_argspec: argspecs('runners', 'runner functions'),
    returner_argspec: argspecs('returners', 'returner functions'),
    state_schema: defineFunction({
      doc: 'Describes the arguments of state functions as JSON schemas.',
      params: moduleParam,
      returns: 'list of schemas',
      run: async (ctx, { module }) => {
        const states = await catalog(ctx, 'states');
        const names = chooseFunctions(states.keys(), [module]);
        return names.map((name) => argumentSchema(name, states.get(name) as FunctionDescription));
      },
    }),
    reload_modules: defineFunction({
      doc: 'Has the modules loaded anew.',
      returns: 'True',
      run: async (ctx) => {
        await ctx.services.refresh('modules');
        return true;
      },
    }),
  },
});
