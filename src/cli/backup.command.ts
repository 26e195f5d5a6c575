import { tmpdir } from 'node:os'
import { Command } from 'commander'
import { BackupFolder } from '../admin/backup/backup-folder.ts'
import { makeBackup } from '../admin/backup/backup.service.ts'
import { verifyBackup } from '../admin/backup/verify.service.ts'
import { fileColumns } from '../app.ts'
import { lockFolder } from '../db/folder-lock.ts'
import { makeFolder } from '../lib/make-folder.ts'
import { exitCodes } from './exit.ts'
import { withInstance, withInstanceOptions, type InstanceOptions } from './instance.ts'
import { stoppable, type Terminal } from './terminal.ts'

export const backupCommand = (terminal: Terminal): Command =>
  withInstanceOptions(new Command('backup'))
    .description('back up the instance to a folder, while it serves; a repeated backup costs what changed')
    .argument('<folder>', 'an empty folder, or that of the last backup')
    .action((folder: string, options: InstanceOptions) => backUp(terminal, folder, options))
    .addCommand(verifyCommand(terminal))
    .addHelpText(
      'after',
      '\nThe folder has rows, stored files, references and git objects. It does not have app.ini and the instance key, which opens the stored secrets.',
    )

async function backUp(terminal: Terminal, path: string, options: InstanceOptions): Promise<void> {
  await withInstance(options, async (services) => {
    // Requests go first.
    terminal.lowerPriority()
    makeFolder(path, 0o700)
    const lock = lockFolder(path)
    try {
      const { rowCount, fileCount, repositoryCount, written, missing, keyId, keyFrom } = await makeBackup(
        services,
        path,
        stoppable(terminal),
      )
      for (const what of missing) terminal.err(`missing: ${what}\n`)
      terminal.out(
        `${rowCount} rows, ${fileCount} files and ${repositoryCount} git repositories are in ${path}; ` +
          `${written.files} files (${written.bytes} bytes) were written\n` +
          `Keep apart: the instance key ${keyId} (${keyFrom}) and app.ini\n`,
      )
      if (missing.length > 0) terminal.fail(exitCodes.failure)
    } finally {
      lock.release()
    }
  })
}

const verifyCommand = (terminal: Terminal): Command =>
  new Command('verify')
    .description('restore a backup aside and compare each row, reference and file')
    .argument('<folder>', 'the folder of a backup')
    .option('--temporary <folder>', 'where to restore; needs room for the rows and the largest repository', tmpdir())
    .action(async (path: string, options: { readonly temporary: string }) => {
      const backup = await BackupFolder.openToRead(path)
      let problems = 0
      const { rowCount, fileCount, repositoryCount } = await verifyBackup(
        backup,
        fileColumns(),
        options.temporary,
        (problem) => {
          problems += 1
          terminal.out(`not ok: ${problem}\n`)
        },
      )
      terminal.out(
        `${problems === 0 ? 'ok' : 'not ok'}: ${rowCount} rows, ${fileCount} files and ${repositoryCount} git repositories of ${backup.manifest.madeAt}\n`,
      )
      if (problems > 0) terminal.fail(exitCodes.failure)
    })
