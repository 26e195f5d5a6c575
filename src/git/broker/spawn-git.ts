import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process'
import { bytesOfName, hasRawBytes } from '../../lib/file-names.ts'

/** Decodes each argument and becomes the command. The point keeps line feeds at the end of an argument. */
const decodeAndRun = 'for a do shift; a=$(printf "%b." "$a"); set -- "$@" "${a%.}"; done; exec "$@"'

/**
 * Starts git. Node passes arguments as UTF-8, and names of files may have other bytes: then a shell decodes the arguments,
 * which reach it as octal escapes of plain characters, and git takes its place and its process id.
 */
export function spawnGit(binary: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  if (!args.some(hasRawBytes)) return spawn(binary, args, options)
  return spawn('/bin/sh', ['-c', decodeAndRun, 'sh', ...[binary, ...args].map(octal)], options)
}

const octal = (argument: string): string =>
  [...bytesOfName(argument)].map((byte) => `\\0${byte.toString(8).padStart(3, '0')}`).join('')
