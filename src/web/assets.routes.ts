import { anyone } from '../access/requirements.ts'
import { bytesOf, operation } from '../http/operation.ts'
import { bytes } from '../http/reply.ts'
import { styleSheet } from './style-sheet.ts'

/** The style of all pages. */
export const forgeStyle = operation({
  method: 'GET',
  path: '/assets/forge.css',
  base: 'site',
  scope: null,
  requires: [anyone],
  reply: { 200: bytesOf('text/css') },
  run: async () =>
    bytes('text/css;charset=utf-8', styleSheet, { headers: { 'cache-control': 'public, max-age=3600' } }),
})
