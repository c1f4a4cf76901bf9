/** The style of the HTML report: system fonts, both colour schemes, verdicts as words and colours. */
export const REPORT_STYLE = `
:root { color-scheme: light dark; --line: #8884; --good: #1a7f37; --bad: #cf222e; --odd: #9a6700; }
@media (prefers-color-scheme: dark) { :root { --good: #3fb950; --bad: #f85149; --odd: #d29922; } }
body { font: 15px/1.45 system-ui, sans-serif; max-width: 78rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid var(--line); }
td { overflow-wrap: anywhere; }
td.number, td:first-child { white-space: nowrap; }
.proof td:first-child { overflow-wrap: normal; }
code { font: 13px ui-monospace, monospace; }
section { margin-top: 2.5rem; border-top: 2px solid var(--line); }
dl { display: grid; grid-template-columns: 6rem 1fr; gap: .2rem 1rem; }
dd { margin: 0; overflow-wrap: anywhere; }
h3 { font-size: 1rem; margin-bottom: .3rem; }
.passed .verdict, .right td:first-child { color: var(--good); }
.failed .verdict, .wrong td:first-child { color: var(--bad); font-weight: bold; }
.inconclusive .verdict, .interrupted .verdict { color: var(--odd); font-weight: bold; }
.silent { opacity: .7; }
`;
