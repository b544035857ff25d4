/** Files that hold a list of texts as JSON, and can be written anew when they do not. */
import { parseJson } from './parse.ts';

/** @param json undefined where there is no file @returns its texts; none of what is no list or no JSON */
export function textList(json: string | undefined): string[] {
  try {
    const value = parseJson(json ?? '[]');
    return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
  } catch {
    return [];
  }
}
