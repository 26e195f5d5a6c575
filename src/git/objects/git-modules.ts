import { Invalid } from '../../lib/errors.ts'
import { type GitContext, locate } from '../context.ts'
import type { GitKey } from '../git-key.ts'

/** Largest `.gitmodules` to write, in bytes; git refuses a push of one that is too large to parse. */
const maxModulesBytes = 1 << 20

const refused = (why: string) =>
  new Invalid(`.gitmodules ${why}, which could harm anyone who clones it`, 'git_modules_invalid')

/**
 * Refuses a `.gitmodules` file that `git fsck` refuses in a push: names that leave the folder of submodules, paths and
 * addresses that look like options, addresses with line feeds, and commands. Source: git-fsck(1), `gitmodules…`. A file
 * that git cannot parse is harmless, and a push of it passes.
 * @throws Invalid
 */
export async function checkGitModules(context: GitContext, key: GitKey, content: Buffer): Promise<void> {
  if (content.length > maxModulesBytes) throw refused(`has more than ${maxModulesBytes} bytes`)
  const { exitCode, stdout } = await context.broker.run({
    args: ['config', '--file', '-', '--no-includes', '--null', '--list'],
    cwd: locate(context, key).directory,
    kind: 'read',
    input: content,
    maxBytes: 4 * maxModulesBytes,
  })
  if (exitCode !== 0) return
  for (const entry of stdout.toString('utf8').split('\0')) {
    const [setting, value] = splitAtLineFeed(entry)
    const [, name, variable] = /^submodule\.(.*)\.([^.]+)$/s.exec(setting) ?? []
    if (name === undefined) continue
    if (name === '' || name.split(/[/\\]/).includes('..')) throw refused('names a submodule that leaves its folder')
    if (variable === 'path' && value.startsWith('-')) throw refused('has a path that begins with a hyphen')
    if (variable === 'update' && value.startsWith('!')) throw refused('runs a command')
    if (variable === 'url' && !isHarmlessUrl(value)) throw refused('has an address that git does not allow')
  }
}

/** Splits an entry of `git config --null` into setting and value. */
function splitAtLineFeed(entry: string): readonly [setting: string, value: string] {
  const at = entry.indexOf('\n')
  return at < 0 ? [entry, ''] : [entry.slice(0, at), entry.slice(at + 1)]
}

/** Whether `git fsck` allows the address of a submodule. A relative address may not replace the host. */
function isHarmlessUrl(url: string): boolean {
  if (url.startsWith('-') || decoded(url).includes('\n')) return false
  if (/^\.\.?\//.test(url)) return !/^(?:\.\.?\/)+[:/]/.test(url)
  const [, web] = /^(?:(?:https?|ftps?)::)?((?:https?|ftps?):\/\/.*)$/is.exec(url) ?? []
  return web === undefined || (URL.canParse(web) && !/^[a-z]+:\/\/\//i.test(web))
}

/** Decodes percent escapes as bytes. */
const decoded = (url: string): string =>
  url.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
