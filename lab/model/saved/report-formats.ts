/** What `report --format` prints. */
export const REPORT_FORMATS = ['markdown', 'junit', 'html', 'json'] as const;
