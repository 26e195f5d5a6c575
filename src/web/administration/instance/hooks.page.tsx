import { siteAdmin } from '../../../access/requirements.ts'
import { hooksOfInstance } from '../../../webhooks/hook-owner.ts'
import { hookPages } from '../../shared/hooks/hook-pages.ts'
import { hookTexts as texts } from '../../languages/texts.ts'
import { inAdministration } from '../administration-frame.tsx'
import { administrationTexts as administration } from '../../languages/texts.ts'

/** The webhooks of the instance. */
export const {
  listPage: administrationHooksPage,
  newPage: administrationNewHookPage,
  create: administrationCreateHook,
  hookPage: administrationHookPage,
  edit: administrationEditHook,
  remove: administrationDeleteHook,
  deliveryPage: administrationHookDeliveryPage,
  replayOne: administrationReplayHook,
  replayFailed: administrationReplayFailedHook,
} = hookPages({
  twins: 'admin',
  path: '/admin/hooks',
  requires: [siteAdmin],
  ownerOf: () => hooksOfInstance,
  pathOf: () => '/admin/hooks',
  frame: inAdministration('hooks'),
  meta: () => ({ title: texts.title, isUnlisted: true }),
  lead: () => administration.hooksLead,
  isOfInstance: true,
})
