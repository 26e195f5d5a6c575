import assert from 'node:assert/strict'
import type { Forge } from '../../testing/forge.ts'
import type { TestTask } from '../actions.test-support.ts'

/** Calls the cache service as a job. */
export function cacheCalls(forge: Forge, task: TestTask) {
  const authorization = `Bearer ${task.context.gitea_runtime_token}`
  const send = async (method: string, path: string, body?: string, headers: Record<string, string> = {}) => {
    const response = await fetch(path.startsWith('http') ? path : `${forge.url}${path}`, {
      method,
      headers: { authorization, ...headers },
      ...(body === undefined ? {} : { body }),
    })
    const text = await response.text()
    // oxlint-disable-next-line typescript/no-explicit-any -- replies have many shapes
    const json: any = text.startsWith('{') ? JSON.parse(text) : undefined
    return { status: response.status, text, json }
  }
  const json = { 'content-type': 'application/json' }
  const call = (method: string, body: object) =>
    send('POST', `/twirp/github.actions.results.api.v1.CacheService/${method}`, JSON.stringify(body), json)
  return {
    send,
    call,
    post: (path: string, body: object) => send('POST', `/_apis/artifactcache/${path}`, JSON.stringify(body), json),
    /** Saves a text under a key; false when the key is taken. */
    save: async (key: string, text: string, version = 'v'): Promise<boolean> => {
      const { json: made } = await call('CreateCacheEntry', { key, version })
      if (made.ok !== true) return false
      assert.equal((await send('PUT', made.signed_upload_url, text, { authorization: '' })).status, 201)
      const done = await call('FinalizeCacheEntryUpload', { key, version, size_bytes: String(text.length) })
      assert.equal(done.status, 200, done.text)
      return true
    },
    /** Returns `<matched key> <text>` of the first key that has an entry. */
    find: async (keys: readonly string[], version = 'v'): Promise<string | undefined> => {
      const [key, ...restore_keys] = keys
      const { json: found } = await call('GetCacheEntryDownloadURL', { key, restore_keys, version })
      return found.ok ? `${found.matched_key} ${(await send('GET', found.signed_download_url)).text}` : undefined
    },
  }
}
