import { Command } from 'commander'
import { serveCommand } from './serve.command.ts'

/** Runs the program as its arguments say. */
export async function runCommand(args: readonly string[]): Promise<void> {
  const program = new Command('ingot')
    .description('A self-hosted Git forge in one process')
    .addCommand(serveCommand(), { isDefault: true })
  await program.parseAsync([...args], { from: 'user' })
}
