import type { ChildProcess } from 'node:child_process'

/**
 * Signals a child that leads a group of its own (`detached`), with all its descendants that did not leave the group.
 */
export function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch (error) {
    // Nobody of the group is left (and EPERM: its number has gone to somebody else since).
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ESRCH' && code !== 'EPERM') throw error
  }
}
