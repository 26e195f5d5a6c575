import { anyone } from '../access/requirements.ts'
import { operation } from '../http/operation.ts'
import { ok } from '../http/reply.ts'
import {
  GeneralAPISettings,
  GeneralAttachmentSettings,
  GeneralRepoSettings,
  GeneralUISettings,
} from './settings.schemas.ts'

export const getGeneralUISettings = operation({
  method: 'GET',
  path: '/settings/ui',
  cost: 'usual',
  scope: null,
  requires: [anyone],
  reply: { 200: GeneralUISettings },
  summary: 'Get the settings of pages',
  run: async ({ ctx: { config } }) =>
    ok({
      default_theme: config.ui.defaultTheme,
      allowed_reactions: [...config.ui.reactions],
      custom_emojis: [...config.ui.customEmojis],
    }),
})

export const getGeneralAPISettings = operation({
  method: 'GET',
  path: '/settings/api',
  cost: 'usual',
  scope: null,
  requires: [anyone],
  reply: { 200: GeneralAPISettings },
  summary: 'Get the limits of the API',
  run: async ({ ctx: { config } }) =>
    ok({
      max_response_items: config.api.maxResponseItems,
      default_paging_num: config.api.defaultPagingNum,
      default_git_trees_per_page: config.api.defaultGitTreesPerPage,
      default_max_blob_size: config.api.defaultMaxBlobSize,
    }),
})

export const getGeneralAttachmentSettings = operation({
  method: 'GET',
  path: '/settings/attachment',
  cost: 'usual',
  scope: null,
  requires: [anyone],
  reply: { 200: GeneralAttachmentSettings },
  summary: 'Get the limits of attachments',
  run: async ({ ctx: { config } }) =>
    ok({
      enabled: config.attachment.enabled,
      allowed_types: config.attachment.allowedTypes,
      max_size: config.attachment.maxSize,
      max_files: config.attachment.maxFiles,
    }),
})

export const getGeneralRepositorySettings = operation({
  method: 'GET',
  path: '/settings/repository',
  cost: 'usual',
  scope: null,
  requires: [anyone],
  reply: { 200: GeneralRepoSettings },
  summary: 'Get the settings of repositories',
  run: async ({ ctx: { config } }) =>
    ok({
      mirrors_disabled: !config.mirror.enabled || config.repository.disableMirrors,
      http_git_disabled: config.repository.disableHttpGit,
      migrations_disabled: config.repository.disableMigrations,
      stars_disabled: config.repository.disableStars,
      forks_disabled: config.repository.disableForks,
      time_tracking_disabled: !config.service.enableTimetracking,
      lfs_disabled: !config.server.lfsStartServer,
    }),
})
