import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Has `work` use a new folder that only this process's account may read, and deletes it with its files. The folders of a
 * killed process are removed by the task `remove_temporary_folders`.
 * @param parent the temporary folder of the instance; created when missing
 */
export async function withTemporaryFolder<Result>(
  parent: string,
  prefix: string,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  await mkdir(parent, { recursive: true, mode: 0o700 })
  const folder = await mkdtemp(join(parent, prefix))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
