/** Words of augtool's commands, and what it prints; the outputs are those of augtool 1.14. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchedNodes, printedNodes } from '../../../../src/plugins/augeas/module/answers.ts';
import { commandLine, readCommand } from '../../../../src/plugins/augeas/module/commands.ts';
import { pathWord, valueWord } from '../../../../src/plugins/augeas/module/tool.ts';

function line(text: string, context = '/files/etc/hosts'): string {
  const command = readCommand(text);
  return 'error' in command ? command.error : commandLine(command, context);
}

test('augeas - commands become lines of augtool, with the context before their paths', () => {
  assert.equal(line('set 1/canonical "a b"'), 'set /files/etc/hosts/1/canonical "a b"');
  assert.equal(line('set /files/etc/hosts/1/x'), 'set /files/etc/hosts/1/x');
  assert.equal(line('rm /'), 'rm /files/etc/hosts');
  assert.equal(
    line(`set "*[ipaddr = '10.0.0.1']/alias" y`),
    `set /files/etc/hosts/*[ipaddr = '10.0.0.1']/alias "y"`,
  );
  assert.equal(line('ins x before 1'), 'insert "x" before /files/etc/hosts/1');
  assert.equal(line('mv 1 /files/etc/hosts/2'), 'mv /files/etc/hosts/1 /files/etc/hosts/2');
  assert.equal(line('setm 1 x'), 'setm /files/etc/hosts/1 x');
  assert.equal(line('clear 1'), 'Command clear is not supported (yet)');
  assert.equal(line('set'), 'Invalid formatted command, see debug log for details: set');
  assert.equal(line('ins x beside 1'), 'Invalid formatted command, see debug log for details: x beside 1');
});

test('augeas - no value and no path becomes a second command', () => {
  assert.equal(valueWord('a\nrm /files "\\'), '"a\\nrm /files \\"\\\\"');
  assert.equal(pathWord('/files/a b\nrm /'), '/files/a\\ b\\nrm\\ /');
  assert.equal(pathWord('/files/a\\=b[. = "x y"]'), '/files/a\\=b[. = "x y"]');
  assert.throws(() => valueWord('\x1bx'), /cannot have control characters/);
});

test('augeas - nodes are read as match and print print them', () => {
  assert.deepEqual(matchedNodes('/files/a/1 = (none)\n/files/a/2 = x = y\nz\n'), [
    ['/files/a/1', null],
    ['/files/a/2', 'x = y\nz'],
  ]);
  assert.deepEqual(matchedNodes('  (no matches)\n'), []);
  assert.deepEqual(printedNodes('/files/a\n/files/a/zz = "\\303\\244 \\"b\\"\\n"\n'), [
    ['/files/a', null],
    ['/files/a/zz', 'ä "b"\n'],
  ]);
});
