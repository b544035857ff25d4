/** `jinja`: what templates and files of data give, for looking into them. Follows 3006.16 salt/modules/jinja.py. */
import { SaltInvocationError } from '../../errors/errors.ts';
import { toJson } from '../../formats/json/text.ts';
import { pyRepr } from '../../python/values/repr.ts';
import { type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';

const PATH = { path: param.text({ doc: 'The file, as templates name it: below the file roots.' }) } as const;

const rendered = (ctx: ModuleContext, template: string): Promise<Value> =>
  ctx.functions.call('slsutil.renderer', [], { string: template, default_renderer: 'jinja|yaml' });

const imported = (ctx: ModuleContext, tag: string, path: string): Promise<Value> =>
  rendered(ctx, `{% ${tag} ${toJson(path)} as imported %}\n{{ imported | tojson }}\n`);

/** The module. */
export const jinjaModule = defineModule({
  name: 'jinja',
  file: 'jinja',
  doc: 'What templates and files of data give, for looking into them.',
  functions: {
    load_map: defineFunction({
      doc: 'Returns a variable of a template, such as the map of a formula.',
      params: { ...PATH, value: param.text({ doc: 'The name of the variable.' }) },
      returns: 'its value',
      examples: ["salt '*' jinja.load_map openvpn/map.jinja map"],
      run: (ctx, { path, value }) => {
        if (!/^[\p{L}_][\p{L}\p{N}_]*$/u.test(value))
          throw new SaltInvocationError(`${pyRepr(value)} is no name of a variable`);
        return rendered(
          ctx,
          `{% from ${toJson(path)} import ${value} with context %}\n{{ ${value} | tojson }}\n`,
        );
      },
    }),
    import_yaml: defineFunction({
      doc: 'Returns what a file of YAML has, as `import_yaml` of templates sees it.',
      params: PATH,
      returns: 'its data',
      examples: ["salt '*' jinja.import_yaml nginx/defaults.yaml"],
      run: (ctx, { path }) => imported(ctx, 'import_yaml', path),
    }),
    import_json: defineFunction({
      doc: 'Returns what a file of JSON has, as `import_json` of templates sees it.',
      params: PATH,
      returns: 'its data',
      examples: ["salt '*' jinja.import_json nginx/defaults.json"],
      run: (ctx, { path }) => imported(ctx, 'import_json', path),
    }),
  },
});
