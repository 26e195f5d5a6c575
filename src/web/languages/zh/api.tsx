import type { Texts } from '../translation.ts'

/** Texts of the API documentation page. */
export const apiTexts: Texts['apiTexts'] = {
  title: 'API',
  parts: 'API 的各部分',
  needsScripts: '浏览需要 JavaScript。下载描述文件：',
  openApi: 'OpenAPI 3.1',
}
