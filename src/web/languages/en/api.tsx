/** Texts of the API documentation page. */
export const apiTexts = {
  title: 'API',
  parts: 'Parts of the API',
  needsScripts: 'Browsing needs JavaScript. Download the description:',
  openApi: 'OpenAPI 3.1',
}
