import { stat } from 'node:fs/promises'
import type { DoctorCheck } from '../access/contributions/doctor.ts'
import { findDatabaseDamage } from '../db/check.ts'
import { closePath, findOpenPaths } from './private-paths.service.ts'

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
      // The key may be in the settings instead.
      if (error.code === 'ENOENT') return undefined
      throw error
    })
    if (found && (found.mode & 0o077) !== 0) yield { what: `${file} may be read by others`, state: 'report' }
  },
}

export const privatePathsCheck: DoctorCheck = {
  name: 'private-paths',
  about: 'nobody but the account of the server can look into the data folder and the database',
  async *run({ config }, { fix }) {
    for (const found of await findOpenPaths(config)) {
      const what = `${found.path} is open to others (${found.mode.toString(8)})`
      if (!fix) yield { what, state: 'fixable' }
      else yield { what, state: (await closePath(found)) ? 'fixed' : 'report' }
    }
  },
}
