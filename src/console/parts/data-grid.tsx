/** A table of any length: only the rows that can be seen are in the page. Arrow keys move, Enter opens. */
import type { ComponentChildren, JSX, TargetedKeyboardEvent } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** A column. */
export interface Column<T> {
  readonly name: string;
  /** A track of a CSS grid: `1fr`, `12ch`, `minmax(8ch, 2fr)`. */
  readonly width: string;
  readonly cell: (item: T) => ComponentChildren;
  /** Not shown where there is little room. */
  readonly wideOnly?: boolean;
  readonly align?: 'end';
  /** By which the list can be sorted. */
  readonly sort?: string;
}

/** What a table shows. */
export interface DataGridProps<T> {
  readonly label: string;
  readonly items: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly keyOf: (item: T) => string;
  /** Enter, or a click. */
  readonly onOpen?: (item: T) => void;
  /** The end is near: load more. */
  readonly onEnd?: () => void;
  /** All there are, when it is known before they are loaded. */
  readonly total?: number | undefined;
  readonly isBusy?: boolean;
  /** Instead of rows when there are none. */
  readonly empty: ComponentChildren;
  /** Key of the row whose details are open. */
  readonly openKey?: string | undefined;
  readonly sorted?: { readonly by: string; readonly desc: boolean };
  readonly onSort?: (by: string) => void;
  /** Takes as many rows of height as it has, up to so many. */
  readonly rowsMost?: number;
}

const ROW = 30;
const AROUND = 12;
const NEAR_END = 40;

/** A table. */
export function DataGrid<T>(props: DataGridProps<T>): JSX.Element {
  const { items, columns, keyOf, onOpen, onEnd, label, rowsMost } = props;
  const box = useRef<HTMLDivElement>(null);
  const base = useId();
  const [view, setView] = useState({ top: 0, height: 600 });
  const [active, setActive] = useState(0);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const look = (): void => setView({ top: element.scrollTop, height: element.clientHeight });
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const first = Math.max(0, Math.floor(view.top / ROW) - AROUND);
  const last = Math.min(items.length, Math.ceil((view.top + view.height) / ROW) + AROUND);
  useEffect(() => {
    if (last >= items.length - NEAR_END) onEnd?.();
  }, [last, items.length]);
  useEffect(() => {
    if (active >= items.length) setActive(Math.max(0, items.length - 1));
  }, [items.length]);
  const show = (at: number): void => {
    const element = box.current;
    setActive(at);
    if (element === null) return;
    const top = at * ROW;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + ROW * 2 > element.scrollTop + element.clientHeight)
      element.scrollTop = top + ROW * 2 - element.clientHeight;
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    if (event.target !== box.current) return;
    const page = Math.max(1, Math.floor(view.height / ROW) - 2);
    const at = nextRow(event.key, active, page, items.length);
    if (at !== undefined) {
      event.preventDefault();
      show(at);
    } else if (event.key === 'Enter') {
      const item = items[active];
      if (item !== undefined) onOpen?.(item);
    }
  };
  const wide = columns.map(({ width }) => width).join(' ');
  const narrow = columns
    .filter(({ wideOnly }) => wideOnly !== true)
    .map(({ width }) => width)
    .join(' ');
  const height =
    rowsMost === undefined
      ? {}
      : { height: `${Math.min(rowsMost, Math.max(3, items.length + 1)) * ROW + 2}px` };
  return (
    <div
      class="grid"
      ref={box}
      role="grid"
      aria-label={label}
      aria-rowcount={(props.total ?? items.length) + 1}
      aria-busy={props.isBusy === true}
      aria-activedescendant={items.length > 0 ? `${base}-${active}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onScroll={(event) =>
        setView({ top: event.currentTarget.scrollTop, height: event.currentTarget.clientHeight })
      }
      style={{ '--wide': wide, '--narrow': narrow, ...height }}
    >
      <Header {...props} />
      <div role="rowgroup" class="grid-body" style={{ height: `${items.length * ROW}px` }}>
        {items.slice(first, last).map((item, nth) => {
          const at = first + nth;
          return (
            <div
              role="row"
              id={`${base}-${at}`}
              key={keyOf(item)}
              class={rowClass(
                at === active,
                props.openKey !== undefined && props.openKey === keyOf(item),
                onOpen !== undefined,
              )}
              aria-rowindex={at + 2}
              aria-selected={props.openKey === undefined ? undefined : props.openKey === keyOf(item)}
              style={{ top: `${at * ROW}px` }}
              onClick={(event) => {
                setActive(at);
                if ((event.target as Element).closest('a, button, input, label') === null) onOpen?.(item);
              }}
            >
              {columns.map((column) => (
                <div role="gridcell" class={cellClass(column)} key={column.name}>
                  {column.cell(item)}
                </div>
              ))}
            </div>
          );
        })}
      </div>
      {items.length === 0 ? (
        <Nothing columns={columns.length}>{props.isBusy === true ? 'Loading…' : props.empty}</Nothing>
      ) : null}
    </div>
  );
}

function Nothing({ children, columns }: { children: ComponentChildren; columns: number }): JSX.Element {
  return (
    <div role="rowgroup">
      <div role="row" class="grid-empty">
        <div role="gridcell" aria-colspan={columns}>
          {children}
        </div>
      </div>
    </div>
  );
}

function Header<T>({ columns, sorted, onSort }: DataGridProps<T>): JSX.Element {
  return (
    <div role="rowgroup" class="grid-head">
      <div role="row" aria-rowindex={1} class="grid-row">
        {columns.map((column) => {
          const isSorted = sorted !== undefined && column.sort === sorted.by;
          return (
            <div
              role="columnheader"
              class={cellClass(column)}
              key={column.name}
              aria-sort={isSorted ? (sorted.desc ? 'descending' : 'ascending') : undefined}
            >
              {column.sort === undefined || onSort === undefined ? (
                column.name
              ) : (
                <button type="button" class="sort" onClick={() => onSort(column.sort as string)}>
                  {column.name}
                  {isSorted ? (sorted.desc ? ' ↓' : ' ↑') : ''}
                </button>
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function rowClass(isActive: boolean, isOpen: boolean, canOpen: boolean): string {
  return `grid-row${isActive ? ' active' : ''}${isOpen ? ' open' : ''}${canOpen ? ' can-open' : ''}`;
}

function cellClass<T>({ wideOnly, align }: Column<T>): string {
  return `cell${wideOnly === true ? ' wide-only' : ''}${align === 'end' ? ' end' : ''}`;
}

/** The row that a key leads to; undefined for a key that moves nothing. */
function nextRow(key: string, at: number, page: number, length: number): number | undefined {
  const moves: ReadonlyMap<string, number> = new Map([
    ['ArrowDown', at + 1],
    ['ArrowUp', at - 1],
    ['PageDown', at + page],
    ['PageUp', at - page],
    ['Home', 0],
    ['End', length - 1],
  ]);
  const to = moves.get(key);
  return to === undefined ? undefined : Math.min(Math.max(to, 0), Math.max(0, length - 1));
}
