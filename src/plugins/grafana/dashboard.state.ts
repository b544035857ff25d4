/**
 * `grafana4_dashboard` and `grafana_dashboard`: dashboards of Grafana (3006.16 salt/states/grafana4_dashboard.py,
 * salt/states/grafana_dashboard.py).
 */
import { toJson } from '../../formats/json/text.ts';
import { pyStr } from '../../python/values/repr.ts';
import {
  copyValue,
  dict,
  isDict,
  truthy,
  valuesEqual,
  type Dict,
  type Value,
} from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { PROFILE, profileOf } from './module/server.ts';
import { outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import {
  annotate,
  cleaned,
  dashboardDiff,
  keepOthers,
  numberPanels,
  rowsOf,
  spread,
} from './state/dashboard-build.ts';
import { asDict, foretell, grafana, stepwise } from './state/parts.ts';

const INDENT = 4;
/** What Grafana, and not the state, says of a dashboard. */
const IGNORED_FIELDS = ['id', 'uid', 'originalTitle', 'version'];

const NAME = { name: param.text({ doc: 'The dashboard, as addresses name it.' }) } as const;
const names = (what: string) =>
  param.list({ default: null, doc: `Names of pillar values that ${what} begin with.` });
const BASES = {
  base_dashboards_from_pillar: names('dashboards'),
  base_panels_from_pillar: names('panels'),
  base_rows_from_pillar: names('rows'),
  dashboard: param.mapping({ default: null, doc: 'The dashboard.' }),
} as const;
const ORG = {
  orgname: param.textIfGiven({ default: null, doc: 'The organisation that has it.' }),
} as const;

interface Wanted {
  readonly name: string;
  readonly dashboard: Dict;
  readonly bases: Readonly<Record<'dashboard' | 'panel' | 'row', readonly Value[]>>;
  /** The dashboard has this title in any case. */
  readonly hasFixedTitle: boolean;
  readonly orgname: string | undefined;
  readonly profile: Dict;
}

/** What the pillar has for a kind of thing, the default first; what is missing is warned of. */
async function basesOf(
  ctx: StateContext,
  kind: 'dashboard' | 'panel' | 'row',
  more: readonly Value[],
  warnings: Value[],
): Promise<Dict[]> {
  const found: Dict[] = [];
  const fallback = `grafana_${kind}s:default`;
  for (const key of [fallback, ...more.map(pyStr)]) {
    const base = await ctx.functions.call('pillar.get', [key]);
    if (isDict(base) && base.size > 0) found.push(copyValue(base));
    else if (key !== fallback) warnings.push(`Cannot find ${kind} pillar "${key}".`);
  }
  return found;
}

const merged = (bases: readonly Dict[], own: Dict): Dict =>
  new Map([...bases, own].flatMap((each) => [...copyValue(each)]));

/** The dashboard as it is to be, before what there is has a say. */
async function built(ctx: StateContext, wanted: Wanted, warnings: Value[]): Promise<Dict> {
  const { name, bases, hasFixedTitle } = wanted;
  const below = await basesOf(ctx, 'dashboard', bases.dashboard, warnings);
  const dashboard = merged(below, wanted.dashboard);
  const tags = [...below, wanted.dashboard].flatMap((each) => {
    const own = each.get('tags');
    return Array.isArray(own) ? own : [];
  });
  dashboard.set('tags', [...new Set(tags)]);
  if (hasFixedTitle || !dashboard.has('title')) dashboard.set('title', name);
  const rows = rowsOf(dashboard);
  const rowBases = rows.length === 0 ? [] : await basesOf(ctx, 'row', bases.row, warnings);
  const made = rows.map((row) => merged(rowBases, row));
  const hasPanels = made.some((row) => truthy(row.get('panels')));
  const panelBases = hasPanels ? await basesOf(ctx, 'panel', bases.panel, warnings) : [];
  for (const row of made) {
    const panels = row.get('panels');
    if (Array.isArray(panels))
      row.set(
        'panels',
        panels.filter(isDict).map((panel) => merged(panelBases, panel)),
      );
  }
  if (dashboard.has('rows')) dashboard.set('rows', made);
  spread(dashboard);
  numberPanels(dashboard);
  annotate(dashboard);
  return dashboard;
}

const warned = (result: StateResult, warnings: readonly Value[]): StateResult =>
  warnings.length === 0 ? result : { ...result, warnings: [...warnings] };

async function present(ctx: StateContext, wanted: Wanted): Promise<StateResult> {
  const { name, orgname, profile } = wanted;
  const warnings: Value[] = [];
  const dashboard = await built(ctx, wanted, warnings);
  const get = (): Promise<Value> => grafana(ctx, 'get_dashboard', [name, orgname ?? null, profile], {});
  const put = async (verb: string): Promise<StateResult | undefined> => {
    const answer = await grafana(ctx, 'create_update_dashboard', [], { dashboard, overwrite: true, profile });
    if (asDict(answer).get('status') === 'success') return undefined;
    return outcome(name, false, `Failed to ${verb} dashboard ${name}, response=${pyStr(answer)}`);
  };
  const old = await get();
  if (!isDict(old) || old.size === 0) {
    if (ctx.state.test)
      return warned(outcome(name, null, `Dashboard ${name} is set to be created.`), warnings);
    const failed = await put('create');
    const changes = dict({ new: `Dashboard ${name} created.` });
    return warned(failed ?? outcome(name, true, `Dashboard ${name} created.`, changes), warnings);
  }
  keepOthers(dashboard, old, await ctx.functions.call('pillar.get', ['grafana_pinned_rows']));
  numberPanels(dashboard);
  const [now, before] = [cleaned(dashboard, IGNORED_FIELDS), cleaned(old, IGNORED_FIELDS)];
  if (valuesEqual(now, before)) return warned(outcome(name, true, 'Dashboard present'), warnings);
  const changes = dashboardDiff(now, before);
  if (ctx.state.test) {
    const text = toJson(changes, { indent: INDENT });
    return warned(outcome(name, null, `Dashboard ${name} is set to be updated, changes=${text}`), warnings);
  }
  const failed = await put('update');
  return warned(failed ?? outcome(name, true, `Dashboard ${name} updated.`, changes), warnings);
}

async function absent(
  ctx: StateContext,
  { name, orgname, profile }: Pick<Wanted, 'name' | 'orgname' | 'profile'>,
): Promise<StateResult> {
  const found = await grafana(ctx, 'get_dashboard', [name, orgname ?? null, profile], {});
  if (!truthy(found)) return outcome(name, true, 'Dashboard absent');
  foretell(ctx, `Dashboard ${name} is set to be deleted.`);
  await grafana(ctx, 'delete_dashboard', [name], { profile });
  const said = `Dashboard ${name} deleted.`;
  return outcome(name, true, said, dict({ new: said }));
}

/** The states of `grafana4_dashboard`. */
export const grafana4DashboardStates = defineModule({
  name: 'grafana4_dashboard',
  file: 'grafana4_dashboard',
  doc: 'Dashboards of Grafana, with what the pillar has under grafana_dashboards:default, grafana_rows:default and grafana_panels:default.',
  functions: {
    present: defineState({
      doc: 'Makes sure that there is a dashboard with these rows; others that it has stay.',
      params: { ...NAME, ...BASES, ...ORG, ...PROFILE },
      run: (ctx, { name, dashboard, orgname, profile, ...bases }) =>
        stepwise(name, async () =>
          present(ctx, {
            name,
            dashboard,
            bases: {
              dashboard: bases.base_dashboards_from_pillar,
              panel: bases.base_panels_from_pillar,
              row: bases.base_rows_from_pillar,
            },
            hasFixedTitle: false,
            orgname,
            profile: await profileOf(ctx, profile),
          }),
        ),
    }),
    absent: defineState({
      doc: 'Makes sure that there is no such dashboard.',
      params: { ...NAME, ...ORG, ...PROFILE },
      run: (ctx, { name, orgname, profile }) =>
        stepwise(name, async () => absent(ctx, { name, orgname, profile: await profileOf(ctx, profile) })),
    }),
  },
});

/** The states of `grafana_dashboard`. */
export const grafanaDashboardStates = defineModule({
  name: 'grafana_dashboard',
  file: 'grafana_dashboard',
  doc: 'Dashboards of Grafana 2 and later, as those of grafana4_dashboard; the title is the name.',
  functions: {
    present: defineState({
      doc: 'Makes sure that there is a dashboard with these rows; others that it has stay.',
      params: { ...NAME, ...BASES, ...PROFILE },
      run: (ctx, { name, dashboard, profile, ...bases }) =>
        stepwise(name, async () =>
          present(ctx, {
            name,
            dashboard,
            bases: {
              dashboard: bases.base_dashboards_from_pillar,
              panel: bases.base_panels_from_pillar,
              row: bases.base_rows_from_pillar,
            },
            hasFixedTitle: true,
            orgname: undefined,
            profile: await profileOf(ctx, profile),
          }),
        ),
    }),
    absent: defineState({
      doc: 'Makes sure that there is no such dashboard.',
      params: { ...NAME, ...PROFILE },
      run: (ctx, { name, profile }) =>
        stepwise(name, async () =>
          absent(ctx, { name, orgname: undefined, profile: await profileOf(ctx, profile) }),
        ),
    }),
  },
});
