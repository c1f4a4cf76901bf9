export declare const TESTS_ELSEWHERE: Readonly<Record<string, readonly string[]>>;
export declare const TESTS_OF_MANY: Readonly<Record<string, string>>;
export declare function testsOf(projectDir: string, path: string): string[];
export declare function isNamedAs(test: string, name: string): boolean;
export declare function stemOf(path: string): string;
