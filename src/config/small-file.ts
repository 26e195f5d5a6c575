import { readFileSync, statSync } from 'node:fs'

/** The maximum size of a settings or secret file, in bytes. */
const maxFileBytes = 1024 * 1024

/** Returns the text of a settings or secret file, or why it cannot be read. It blocks, so only the start calls it. */
export function readSmallFile(path: string): { ok: true; text: string } | { ok: false; reason: string } {
  try {
    const stats = statSync(path)
    if (stats.isDirectory()) return { ok: false, reason: 'is a folder' }
    if (stats.size > maxFileBytes) return { ok: false, reason: `is larger than ${maxFileBytes} bytes` }
    return { ok: true, text: readFileSync(path, 'utf8') }
  } catch (error) {
    const code = Error.isError(error) && 'code' in error ? String(error.code) : String(error)
    const reasons: Readonly<Record<string, string>> = { ENOENT: 'does not exist', EACCES: 'may not be read' }
    return { ok: false, reason: reasons[code] ?? `cannot be read (${code})` }
  }
}
