import { anyone, switchedOn } from '../../access/requirements.ts'
import { page } from '../shell/page.tsx'
import { GalleryView } from './gallery.view.tsx'
import { galleryTexts as texts } from '../languages/texts.ts'

const inDevelopment = switchedOn('developmentEnabled', (config) => config.instance.runMode === 'dev')

/** Shows each part of `src/web/ui` with its states, to those who develop Ingot. */
export const galleryPage = page({
  path: '/-/ui',
  twin: null,
  cost: 'usual',
  requires: [inDevelopment, anyone],
  load: async ({ ctx }) => ({ person: ctx.viewer?.user }),
  meta: () => ({ title: texts.title, isUnlisted: true }),
  view: GalleryView,
})
