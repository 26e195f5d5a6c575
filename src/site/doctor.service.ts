import { stat } from 'node:fs/promises'
import type { DoctorCheck } from '../access/doctor.ts'
import { findDatabaseDamage } from '../db/check.ts'

export const databaseCheck: DoctorCheck = {
  name: 'database',
  about: 'the database is whole',
  async *run({ db }) {
    for (const what of await findDatabaseDamage(db)) yield { what, state: 'report' }
  },
}

export const keyFileCheck: DoctorCheck = {
  name: 'key-file',
  about: 'the instance key can be read by its owner only',
  async *run({ config }) {
    const file = config.paths.secretKeyFile
    const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
      // The key may be a setting instead.
      if (error.code === 'ENOENT') return undefined
      throw error
    })
    if (found && (found.mode & 0o077) !== 0) yield { what: `${file} may be read by others`, state: 'report' }
  },
}
