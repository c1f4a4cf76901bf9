// Command read-definitions prints the OpenAPI definitions of pkg/generated/openapi/zz_generated.openapi.go of
// Kubernetes as JSON: name of the function of each type → its schema. The published swagger.json leaves out enum
// values, and types that no path of the API serves, such as KubeletConfiguration.
//
//	read-definitions <file>
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
)

// The fields of spec.SchemaProps that say what a value may be, by their name in JSON.
var fields = map[string]string{
	"Type": "type", "Format": "format", "Enum": "enum", "Required": "required", "Properties": "properties",
	"Items": "items", "AdditionalProperties": "additionalProperties", "Ref": "$ref",
}

func main() {
	file, err := parser.ParseFile(token.NewFileSet(), os.Args[1], nil, 0)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	paths := map[string]string{}
	for _, each := range file.Imports {
		path, _ := strconv.Unquote(each.Path.Value)
		name := path[strings.LastIndex(path, "/")+1:]
		if each.Name != nil {
			name = each.Name.Name
		}
		paths[name] = path
	}
	definitions := map[string]interface{}{}
	for _, declared := range file.Decls {
		function, ok := declared.(*ast.FuncDecl)
		if !ok || !strings.HasPrefix(function.Name.Name, "schema_") {
			continue
		}
		ast.Inspect(function.Body, func(node ast.Node) bool {
			literal, ok := node.(*ast.CompositeLit)
			if !ok || typeName(literal.Type) != "spec.Schema" || definitions[function.Name.Name] != nil {
				return true
			}
			definitions[function.Name.Name] = schema(literal, paths)
			return false
		})
	}
	_ = json.NewEncoder(os.Stdout).Encode(definitions)
}

func typeName(node ast.Expr) string {
	if selector, ok := node.(*ast.SelectorExpr); ok {
		if pkg, ok := selector.X.(*ast.Ident); ok {
			return pkg.Name + "." + selector.Sel.Name
		}
	}
	return ""
}

// schema turns spec.Schema{SchemaProps: spec.SchemaProps{…}}, or what stands for one in a list or map, into JSON.
func schema(literal *ast.CompositeLit, paths map[string]string) map[string]interface{} {
	result := map[string]interface{}{}
	for _, element := range literal.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		key, ok := pair.Key.(*ast.Ident)
		if !ok {
			continue
		}
		if key.Name == "SchemaProps" {
			for name, value := range schema(pair.Value.(*ast.CompositeLit), paths) {
				result[name] = value
			}
		} else if name, ok := fields[key.Name]; ok {
			if value := convert(pair.Value, paths); value != nil && value != "" {
				result[name] = value
			}
		}
	}
	return result
}

func convert(node ast.Expr, paths map[string]string) interface{} {
	switch value := node.(type) {
	case *ast.UnaryExpr:
		return convert(value.X, paths)
	case *ast.BasicLit:
		if text, err := strconv.Unquote(value.Value); err == nil {
			return text
		}
		return json.Number(value.Value)
	case *ast.CallExpr:
		return reference(value, paths)
	case *ast.CompositeLit:
		return convertLiteral(value, paths)
	}
	return nil
}

func convertLiteral(literal *ast.CompositeLit, paths map[string]string) interface{} {
	switch typeName(literal.Type) {
	// An entry of a map of schemas has no type of its own.
	case "spec.Schema":
		return schema(literal, paths)
	case "spec.SchemaOrArray", "spec.SchemaOrBool":
		for _, element := range literal.Elts {
			pair := element.(*ast.KeyValueExpr)
			if pair.Key.(*ast.Ident).Name == "Schema" {
				return convert(pair.Value, paths)
			}
		}
		return nil
	}
	if _, ok := literal.Type.(*ast.MapType); ok {
		entries := map[string]interface{}{}
		for _, element := range literal.Elts {
			pair := element.(*ast.KeyValueExpr)
			entries[convert(pair.Key, paths).(string)] = schema(pair.Value.(*ast.CompositeLit), paths)
		}
		return entries
	}
	list := []interface{}{}
	for _, element := range literal.Elts {
		list = append(list, convert(element, paths))
	}
	return list
}

// reference reads ref("k8s.io/api/core/v1.Taint") and, from Kubernetes 1.35 on, ref(v1.Taint{}.OpenAPIModelName()).
func reference(call *ast.CallExpr, paths map[string]string) interface{} {
	if len(call.Args) != 1 {
		return nil
	}
	if text, ok := call.Args[0].(*ast.BasicLit); ok {
		name, _ := strconv.Unquote(text.Value)
		return name
	}
	found := interface{}(nil)
	ast.Inspect(call.Args[0], func(node ast.Node) bool {
		if literal, ok := node.(*ast.CompositeLit); ok {
			parts := strings.SplitN(typeName(literal.Type), ".", 2)
			if len(parts) == 2 {
				found = paths[parts[0]] + "." + parts[1]
			}
		}
		return true
	})
	return found
}
