/**
 * Dashboards of Grafana as a state wants them, and how they differ from what there is (3006.16
 * salt/states/grafana4_dashboard.py).
 */
import { keysOfDiff } from '../../../formats/data/key-diff.ts';
import { pyStr } from '../../../python/values/repr.ts';
import {
  copyValue,
  dict,
  float,
  isDict,
  toNumber,
  truthy,
  type Dict,
  type Value,
} from '../../../python/values/value.ts';

const FULL_SPAN = 12;
const DEFAULT_SPAN = 2.5;
/** What Grafana, and not the state, says of a panel, and of what it asks. */
const IGNORED_PANEL_FIELDS = ['grid', 'mode', 'tooltip'];
const IGNORED_TARGET_FIELDS = ['textEditor'];

/** The mappings of a list. */
const dictsIn = (list: Value | undefined): Dict[] => (Array.isArray(list) ? list : []).filter(isDict);

/** The rows of a dashboard. */
export const rowsOf = (dashboard: Dict): Dict[] => dictsIn(dashboard.get('rows'));

const panelsOf = (row: Dict): Dict[] => dictsIn(row.get('panels'));

const without = (given: Dict, names: readonly string[]): Dict =>
  new Map([...given].filter(([key]) => !names.includes(pyStr(key))));

const stripped = (given: Dict): Dict => new Map([...given].filter(([, value]) => truthy(value)));

/** A dashboard without what a comparison leaves out. @param fields those of the dashboard itself */
export function cleaned(dashboard: Dict, fields: readonly string[]): Dict {
  const copy = without(copyValue(dashboard), fields);
  if (!copy.has('rows')) return copy;
  return copy.set(
    'rows',
    rowsOf(copy).map((row) => {
      if (!row.has('panels')) return row;
      return row.set(
        'panels',
        panelsOf(row).map((panel) => {
          const kept = without(panel, IGNORED_PANEL_FIELDS);
          if (kept.has('targets'))
            kept.set(
              'targets',
              dictsIn(kept.get('targets')).map((target) => without(target, IGNORED_TARGET_FIELDS)),
            );
          return stripped(kept);
        }),
      );
    }),
  );
}

/** Panels without a width share what is left of their line. */
export function spread(dashboard: Dict): void {
  const spanOf = (panel: Dict): number => toNumber(panel.get('span')) ?? DEFAULT_SPAN;
  const sum = (panels: readonly Dict[]): number => panels.reduce((all, panel) => all + spanOf(panel), 0);
  for (const row of rowsOf(dashboard)) {
    const lines: Dict[][] = [[]];
    for (const panel of panelsOf(row)) {
      const line = lines.at(-1) ?? [];
      if (sum(line) + spanOf(panel) > FULL_SPAN) lines.push([panel]);
      else line.push(panel);
    }
    for (const line of lines) {
      const open = line.filter((panel) => !panel.has('span'));
      const left = FULL_SPAN - sum(line.filter((panel) => panel.has('span')));
      for (const panel of open) panel.set('span', float(left / open.length));
    }
  }
}

/** Numbers the panels. */
export function numberPanels(dashboard: Dict): void {
  let id = 1;
  for (const row of rowsOf(dashboard)) for (const panel of panelsOf(row)) panel.set('id', id++);
}

/** `annotation_tags` become annotations. */
export function annotate(dashboard: Dict): void {
  const tags = dashboard.get('annotation_tags');
  if (tags === undefined) return;
  const list = (Array.isArray(tags) ? tags : []).map((tag) =>
    dict({
      datasource: 'graphite',
      enable: false,
      iconColor: '#C0C6BE',
      iconSize: 13,
      lineColor: 'rgba(255, 96, 96, 0.592157)',
      name: tag,
      showLine: true,
      tags: tag,
    }),
  );
  dashboard.delete('annotation_tags');
  dashboard.set('annotations', dict({ enable: true, list }));
}

/** Rows that nobody manages stay, behind the others; those with a pinned title come first. */
export function keepOthers(dashboard: Dict, old: Dict, pinned: Value): void {
  const managed = new Set(rowsOf(dashboard).map((row) => row.get('title')));
  const rows = [
    ...rowsOf(dashboard),
    ...rowsOf(old)
      .filter((row) => !managed.has(row.get('title')))
      .map((row) => copyValue(row)),
  ];
  const titles = (Array.isArray(pinned) ? pinned : []).map((title) => pyStr(title).toLowerCase());
  const isPinned = (row: Dict): boolean => titles.includes(pyStr(row.get('title') ?? '').toLowerCase());
  // Salt compat: Salt takes pinned rows out, and loses them
  const ordered = [...rows.filter(isPinned), ...rows.filter((row) => !isPinned(row))];
  if (ordered.length > 0 || dashboard.has('rows')) dashboard.set('rows', ordered);
}

const keyed = (things: readonly Dict[], field: string): Dict =>
  new Map(things.flatMap((one): [Value, Value][] => (one.has(field) ? [[one.get(field) ?? null, one]] : [])));

/** How two mappings of things differ: which are there, and of those in both which fields. */
function differenceOf(wanted: Dict, old: Dict): Dict {
  const { added, removed, changed } = keysOfDiff(wanted, old);
  const found = stripped(dict({ added, removed }));
  if (changed.length > 0)
    found.set(
      'changed',
      new Map(
        changed.map((key) => {
          const [now, before] = [wanted.get(key), old.get(key)];
          const { changed: fields, ...rest } = keysOfDiff(
            isDict(now) ? now : dict(),
            isDict(before) ? before : dict(),
          );
          return [key, stripped(dict({ changed: fields, added: rest.added, removed: rest.removed }))];
        }),
      ),
    );
  return found;
}

/** How two cleaned dashboards differ. */
export function dashboardDiff(wanted: Dict, old: Dict): Dict {
  const { added, removed, changed } = keysOfDiff(wanted, old);
  const panels = (dashboard: Dict): Dict => keyed(rowsOf(dashboard).flatMap(panelsOf), 'id');
  return dict({
    dashboard: stripped(dict({ changed, added, removed })),
    rows: differenceOf(keyed(rowsOf(wanted), 'title'), keyed(rowsOf(old), 'title')),
    panels: differenceOf(panels(wanted), panels(old)),
  });
}
