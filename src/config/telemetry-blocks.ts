/**
 * The options `tracing` and `metrics` of Salt 3008.1, each a block, and the options of Brine that they stand for:
 * traces by OTLP over HTTP, figures for Prometheus.
 */
import { didYouMean } from '../errors/did-you-mean.ts';
import { pyStr } from '../python/values/repr.ts';
import { dict, isDict, truthy, valuesEqual, type Dict, type Value } from '../python/values/value.ts';
import { noEffect, type Unserved } from './unserved.ts';

/** Where a collector on this machine listens (OpenTelemetry). */
const USUAL_TRACES_ENDPOINT = 'http://localhost:4318/v1/traces';
const USUAL_ADDRESS = { host: '127.0.0.1', port: 9464 } as const;

const COMMON = [
  'enabled',
  'exporter',
  'endpoint',
  'service_name',
  'resource_attributes',
  'insecure',
  'headers',
];
const SETTINGS = {
  tracing: [...COMMON, 'sampler', 'sampler_arg'],
  metrics: [...COMMON, 'export_interval_seconds', 'prometheus', 'histogram_boundaries'],
} as const;

/** Values with which a setting asks for nothing else than what is done. */
const USUAL: Readonly<Record<string, readonly Value[]>> = {
  service_name: ['', null],
  resource_attributes: [new Map(), null],
  sampler: ['parent_based', 'always_on', null],
  sampler_arg: [1, null],
  histogram_boundaries: [new Map(), null],
};

/** The exporter of each block that is served, and the one without `exporter`. */
const EXPORTERS = {
  tracing: { served: 'otlp-http', usual: 'otlp-grpc' },
  metrics: { served: 'prometheus', usual: 'otlp-http' },
} as const;

/** What a block with another exporter is told. */
const INSTEAD = {
  tracing:
    'nothing is sent; traces are told by OTLP over HTTP, exporter: otlp-http, with the port for it, usually 4318',
  metrics: 'nothing is pushed; figures are shown to Prometheus, exporter: prometheus',
} as const;

/** The names of the blocks. */
export type TelemetryBlock = keyof typeof SETTINGS;

/** Sets the options that the blocks stand for, unless they are set themselves. @param values changed in place */
export function applyTelemetryBlocks(values: Dict): void {
  const tracing = servedBlock('tracing', values.get('tracing') ?? null);
  if (tracing !== undefined && !isOff(tracing) && !truthy(values.get('otlp_endpoint'))) {
    const endpoint = tracing.get('endpoint');
    values.set(
      'otlp_endpoint',
      typeof endpoint === 'string' && endpoint !== '' ? endpoint : USUAL_TRACES_ENDPOINT,
    );
    const headers = tracing.get('headers');
    if (!truthy(values.get('otlp_headers')) && isDict(headers)) values.set('otlp_headers', headers);
  }
  const metrics = servedBlock('metrics', values.get('metrics') ?? null);
  if (metrics !== undefined && !truthy(values.get('metrics_address'))) {
    const own = metrics.get('prometheus');
    const at = isDict(own) ? own : dict();
    const host = pyStr(at.get('host') ?? USUAL_ADDRESS.host);
    values.set(
      'metrics_address',
      `${host.includes(':') ? `[${host}]` : host}:${pyStr(at.get('port') ?? USUAL_ADDRESS.port)}`,
    );
  }
}

/** @returns what a block does not get; undefined when it is off, or served whole */
export function telemetryUnserved(block: TelemetryBlock, value: Value): Unserved | undefined {
  if (!isDict(value)) return undefined;
  const names: readonly string[] = SETTINGS[block];
  const wrong = [...value.keys()].map(pyStr).filter((name) => !names.includes(name));
  const [first] = wrong;
  if (first !== undefined) {
    const hint = didYouMean(first, names, 1).trim();
    return noEffect(`there is no ${block}:${first}; ${hint === '' ? `there are ${names.join(', ')}` : hint}`);
  }
  if (!truthy(value.get('enabled'))) return undefined;
  const { served, usual } = EXPORTERS[block];
  const exporter = pyStr(value.get('exporter') ?? usual);
  if (exporter !== served) return noEffect(`exporter ${exporter}: ${INSTEAD[block]}`);
  const other = Object.keys(USUAL).filter(
    (name) =>
      value.has(name) && !(USUAL[name] ?? []).some((each) => valuesEqual(value.get(name) ?? null, each)),
  );
  const more = other.filter((name) => name !== 'sampler' || value.get(name) !== 'always_off');
  return more.length === 0
    ? undefined
    : noEffect(
        `${more.join(', ')}: every job is told, under the name of the program; the rest of the block counts`,
      );
}

/** A block that is on and whose exporter there is. */
function servedBlock(block: TelemetryBlock, value: Value): Dict | undefined {
  if (!isDict(value) || !truthy(value.get('enabled'))) return undefined;
  const { served, usual } = EXPORTERS[block];
  return pyStr(value.get('exporter') ?? usual) === served ? value : undefined;
}

function isOff(tracing: Dict): boolean {
  return tracing.get('sampler') === 'always_off';
}
