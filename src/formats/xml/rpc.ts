/** XML-RPC: calls as texts, and what comes back, as Python's `xmlrpc.client` with `allow_none` does it. */
import { float, isDict, isFloat, type Value } from '../../python/values/value.ts';
import { pyStr } from '../../python/values/repr.ts';
import { childOf, childrenOf, parseXml, textIn, XmlError, type XmlElement } from './read.ts';

/** The other side says that a call failed. */
class RpcFault extends Error {
  override readonly name = 'RpcFault';
}

/** The body of a call. */
export function rpcCall(method: string, args: readonly Value[]): string {
  const params = args.map((arg) => `<param><value>${written(arg)}</value></param>`).join('');
  return `<?xml version='1.0'?>\n<methodCall><methodName>${escaped(method)}</methodName><params>${params}</params></methodCall>\n`;
}

/** What a call gave. @throws RpcFault, XmlError */
export function rpcAnswer(text: string): Value {
  const root = parseXml(text);
  const fault = childOf(root, 'fault');
  if (fault !== undefined) {
    const said = valueIn(fault);
    throw new RpcFault(isDict(said) ? pyStr(said.get('faultString') ?? null) : pyStr(said));
  }
  const param = childOf(childOf(root, 'params') ?? root, 'param');
  if (root.name !== 'methodResponse' || param === undefined)
    throw new XmlError('the answer is none of XML-RPC');
  return valueIn(param);
}

function valueIn(element: XmlElement): Value {
  const value = childOf(element, 'value');
  if (value === undefined) throw new XmlError(`<${element.name}> holds no value`);
  const [typed] = value.children;
  return typed === undefined ? value.text : readTyped(typed);
}

function readTyped(element: XmlElement): Value {
  const text = element.text.trim();
  switch (element.name) {
    case 'int':
    case 'i4':
    case 'i8':
    case 'i2':
    case 'i1':
      return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text);
    case 'double':
      return float(Number(text));
    case 'boolean':
      return text === '1';
    case 'nil':
      return null;
    case 'base64':
      return new Uint8Array(Buffer.from(text, 'base64'));
    case 'array':
      return childrenOf(childOf(element, 'data') ?? element, 'value').map((one) =>
        one.children[0] === undefined ? one.text : readTyped(one.children[0]),
      );
    case 'struct':
      return new Map<Value, Value>(
        childrenOf(element, 'member').map((member) => [textIn(member, 'name'), valueIn(member)]),
      );
    default:
      return element.text;
  }
}

function written(value: Value): string {
  if (value === null) return '<nil/>';
  if (typeof value === 'boolean') return `<boolean>${value ? 1 : 0}</boolean>`;
  if (isFloat(value)) return `<double>${pyStr(value)}</double>`;
  if (typeof value === 'number' || typeof value === 'bigint') return `<int>${value}</int>`;
  if (Array.isArray(value))
    return `<array><data>${value.map((one) => `<value>${written(one)}</value>`).join('')}</data></array>`;
  if (isDict(value)) return `<struct>${[...value].map(member).join('')}</struct>`;
  return `<string>${escaped(pyStr(value))}</string>`;
}

const member = ([name, value]: [Value, Value]): string =>
  `<member><name>${escaped(pyStr(name))}</name><value>${written(value)}</value></member>`;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
